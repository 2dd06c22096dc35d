package guardian

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// crash reads what rollcall's runtime prints on its stderr when nothing can
// recover any more: a panic of a foreign goroutine, concurrent map writes, out
// of memory. At its first line it puts the terminal back; then it passes on to
// out what cannot hold a secret. What is no crash, a library's log line, goes
// nowhere. It returns at the pipe's end, and reports whether there was a crash.
func crash(pipe io.Reader, out io.Writer, putBack func()) (crashed bool) {
	lines := bufio.NewReaderSize(pipe, maxLine)
	trace := false
	for {
		b, more, err := lines.ReadLine()
		if err != nil {
			return crashed
		}
		line := string(b)
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
		if !crashed && begins(line, crashes) {
			crashed = true
			putBack()
			fmt.Fprint(out, "rollcall: it broke, a defect of rollcall; what it had launched is being killed. What a panic said is\n"+
				"withheld where it may hold a secret:\n")
		}
		trace = trace || crashed && strings.HasPrefix(line, "goroutine ")
		if crashed {
			if line = shown(line, trace); line != "" || trace {
				fmt.Fprintln(out, line)
			}
		}
	}
}

// maxLine bounds how much of a line is looked at, in bytes.
const maxLine = 16 << 10

var (
	crashes = []string{"panic: ", "fatal error: ", "SIG"} // SIGSEGV: segmentation violation
	// plain begins the lines before the trace in which the runtime speaks for
	// itself: it quotes no value there.
	plain = []string{"fatal error: ", "runtime: ", "panic: runtime error: ", "[signal ", "SIG"}
)

// shown is what may be shown of a line; empty where that is nothing. A trace
// holds names, places and addresses; the runtime indents the further lines of a
// panic's value, so that none of them looks like a trace's first.
func shown(line string, trace bool) string {
	switch {
	case trace || begins(line, plain):
		return line
	case strings.HasPrefix(line, "panic: "):
		return "panic: (withheld)"
	}
	return ""
}

func begins(line string, with []string) bool {
	for _, w := range with {
		if strings.HasPrefix(line, w) {
			return true
		}
	}
	return false
}
