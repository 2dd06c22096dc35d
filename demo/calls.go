package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// callable are the tools that can be called where the behaviour says so, by what
// becomes of a call.
var callable = []string{
	"echo",       // answers with its arguments as text
	"lines",      // answers with several lines, and what attacks a terminal
	"long",       // answers with 200,000 bytes of text
	"mixed",      // answers with text and what is none
	"structured", // answers with structured content alone
	"fails",      // says that it failed, and repeats its arguments
	"refuses",    // answers with a JSON-RPC error, which repeats its arguments
	"asks",       // wants input first, as the newest revision has it
	"strange",    // answers with what MCP does not have
	"silent",     // never answers
	"dies",       // ends the server
}

// callables are their entries in the list of tools.
func (s *server) callables() (tools []any) {
	if !s.calls {
		return nil
	}
	for _, name := range callable {
		tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
	}
	return tools
}

// callTool calls a tool.
func (c *conn) callTool(m message) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if !c.calls || json.Unmarshal(m.Params, &p) != nil {
		c.refuse(m, -32601, "Method not found")
		return
	}
	c.say("%s is called", p.Name)
	result := map[string]any{}
	if c.newest {
		result["resultType"] = "complete"
	}
	content := func(blocks ...any) { result["content"] = blocks }
	switch p.Name {
	case "echo":
		content(text(string(p.Arguments) + c.leaked()))
	case "lines":
		content(text("first\n\tsecond, indented\n\n" + attack))
	case "long":
		content(text(strings.Repeat("a line of a long answer\n", 200_000/24)))
	case "mixed":
		content(text("see below"), map[string]any{"type": "image", "data": "AAECAwQF", "mimeType": "image/png"},
			map[string]any{"type": "resource_link", "uri": "file:///tmp/report", "name": "report"},
			map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///tmp/note", "mimeType": "text/plain", "text": "12 bytes, no"}})
	case "structured":
		content()
		result["structuredContent"] = map[string]any{"rows": []int{1, 2}, "html": "<b>"}
	case "fails":
		content(text(fmt.Sprintf("it cannot be done\nwith %s", p.Arguments)))
		result["isError"] = true
	case "refuses":
		c.refuse(m, -32602, fmt.Sprintf("Invalid arguments: %s", p.Arguments))
		return
	case "asks":
		result["resultType"], result["inputRequests"] = "input_required", map[string]any{}
	case "strange":
		result["content"] = "not a list"
	case "silent":
		return
	case "dies":
		c.die()
		return
	default:
		c.refuse(m, -32602, "Unknown tool: "+p.Name)
		return
	}
	c.answer(m, result)
}

// text is a block of text.
func text(s string) any { return map[string]any{"type": "text", "text": s} }
