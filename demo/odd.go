package demo

import "time"

// oldest is the revision of a server that knows no other.
const oldest = "2024-11-05"

// oddly does what odd servers do before they answer initialize, and reports
// whether that was their answer.
func (c *conn) oddly(m message, revision string) (answered bool) {
	time.Sleep(c.late)
	if c.strays { // as a server does that could not read something
		c.write(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32700, "message": "Parse error"}})
	}
	if c.old && revision != oldest {
		c.refuse(m, -32602, "Invalid request parameters")
		return true
	}
	return false
}
