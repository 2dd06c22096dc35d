package bus

import (
	"context"
	"errors"
	"fmt"
	"os"

	"rollcall/redact"
)

// dialAsChild dials from a process of its own, and prints what came of it.
func dialAsChild(socket string) int {
	c, err := Dial(context.Background(), socket, DialOptions{Version: redact.Word("1.0")})
	var refused *RefusedError
	switch {
	case errors.As(err, &refused):
		fmt.Print("refused: ", err)
	case err != nil:
		fmt.Print("error: ", err)
	default:
		fmt.Print("in: ", c.Hello().You)
		c.Close()
	}
	return 0
}

// followAsChild reads lines until the engine is gone, and prints how many.
func followAsChild(socket string) int {
	c, err := Dial(context.Background(), socket, DialOptions{Version: redact.Word("1.0")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	n, missed := 0, uint64(0)
	_ = c.FollowLines(context.Background(), "", 0, 0, func(lines []FollowedLine) error {
		for _, l := range lines {
			if l.Missed > 0 {
				missed += l.Missed
				continue
			}
			n++
		}
		return nil
	})
	fmt.Println(n, missed)
	return 0
}
