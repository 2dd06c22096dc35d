package transport

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/redact"
)

// maxAnswer is how much of a tool's answer is kept, in bytes after redaction.
const maxAnswer = 64 << 10

// toolAnswered is what a tool's answer says.
func (r *Run) toolAnswered(res *mcp.CallToolResult, arguments json.RawMessage) Called {
	if res.NeedsInput() {
		return Called{Text: redact.Word("the tool wants input before it answers, and rollcall gives none")}
	}
	a := answer{red: r.spec.Redactor}
	c := Called{Outcome: Answered}
	if res.IsError {
		c.Outcome, a.unrepeated = ToolFailed, unrepeated(arguments)
	}
	texts := 0
	for _, block := range res.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			texts++
			a.text(t.Text)
			continue
		}
		a.add(r.other(block))
	}
	if texts == 0 && res.StructuredContent != nil {
		a.text(indented(res.StructuredContent))
		if inexact(res.StructuredContent) {
			a.add(redact.Word("(numbers of more than 15 digits are not exact here)"))
		}
	}
	if a.full {
		a.lines = append(a.lines, redact.Sprintf("… cut after %d KiB", redact.Int(maxAnswer>>10)))
	}
	c.Lines = a.lines
	return c
}

// answer is what is kept of a tool's answer.
type answer struct {
	red        *redact.Redactor
	unrepeated *given // nil: the arguments may be repeated
	lines      []redact.Safe
	size       int
	full       bool // more came than is kept
}

func (a *answer) add(line redact.Safe) {
	line = a.unrepeated.line(line)
	if a.full = a.full || a.size+len(line.String()) > maxAnswer; a.full {
		return
	}
	a.size += len(line.String()) + 1
	a.lines = append(a.lines, line)
}

// text adds the lines of a text, as those of a server's output are cleaned.
func (a *answer) text(s string) {
	s = a.unrepeated.text(s)
	lines := redact.NewLines(a.red, a.add)
	for !a.full && s != "" {
		n := min(len(s), maxAnswer)
		_, _ = lines.Write([]byte(s[:n]))
		s = s[n:]
	}
	if !a.full {
		lines.Flush()
	}
}

// other is one line on what is no text.
func (r *Run) other(block mcp.Content) redact.Safe {
	red := r.spec.Redactor
	sized := func(kind redact.Safe, size int, media string) redact.Safe {
		return redact.Sprintf("%s, %d bytes, %s", kind, redact.Int(size), short(red, media))
	}
	switch b := block.(type) {
	case *mcp.ImageContent:
		return sized(redact.Word("image"), len(b.Data), b.MIMEType)
	case *mcp.AudioContent:
		return sized(redact.Word("audio"), len(b.Data), b.MIMEType)
	case *mcp.ResourceLink:
		return redact.Sprintf("link to a resource, %s", short(red, b.URI))
	case *mcp.EmbeddedResource:
		if b.Resource != nil {
			return sized(redact.Word("resource"), len(b.Resource.Text)+len(b.Resource.Blob), b.Resource.MIMEType)
		}
	}
	return redact.Word("content of another kind")
}

// inexact reports whether JSON that was decoded holds a number that a float64 may
// not hold exactly.
func inexact(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.Abs(v) >= 1<<53
	case []any:
		return slices.ContainsFunc(v, inexact)
	case map[string]any:
		for _, part := range v {
			if inexact(part) {
				return true
			}
		}
	}
	return false
}

// indented is JSON that a person reads.
func indented(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if e.Encode(v) != nil {
		return "" // it was decoded from JSON
	}
	return strings.TrimSpace(b.String())
}
