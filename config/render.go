package config

import (
	"fmt"
	"strconv"
	"strings"

	"rollcall/model"
)

// Render writes a problem as a person reads it, in plain text, without a line
// end at its end:
//
//	servers.toml:7:22: server web: reconnect_interval: 0 is not above 0
//	  7 | reconnect_interval = 0
//	    |                      ^
//	  write a duration such as "5s", or a number of milliseconds
func Render(p model.Problem) string {
	var b strings.Builder
	if file := p.File.String(); file != "" {
		b.WriteString(file)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
		}
		b.WriteString(": ")
	}
	if p.Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(p.Text.String())
	if p.Line > 0 && !p.Excerpt.IsZero() {
		number := strconv.Itoa(p.Line)
		fmt.Fprintf(&b, "\n  %s | %s\n  %s | %s%s", number, p.Excerpt, strings.Repeat(" ", len(number)),
			strings.Repeat(" ", max(p.Caret-1, 0)), strings.Repeat("^", max(p.Width, 1)))
	}
	if len(p.Inherit) > 0 {
		fmt.Fprintf(&b, "\n  it refuses %s", strings.Join(p.Inherit, ", "))
	}
	if !p.Hint.IsZero() {
		fmt.Fprintf(&b, "\n  %s", p.Hint)
	}
	return b.String()
}
