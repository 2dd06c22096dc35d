package transport

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	segmentio "github.com/segmentio/encoding/json"
)

// maxDepth is how deep a message may be nested, as the SDK has it: a decoder
// calls itself for each level.
const maxDepth = 1000

var (
	errTooDeep = errors.New("the message is nested too deeply")
	errNoRPC   = errors.New("the message is no JSON-RPC 2.0")
)

// envelope is a message before it is known to be a request or a response.
type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Method  json.RawMessage `json:"method"` // its presence makes a request, also if it is empty
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *jsonrpc.Error  `json:"error"`
}

// decode is jsonrpc.DecodeMessage, by the SDK's own decoder, but it reads data
// where it is. The SDK makes a buffer of 32 KiB for each message, and has it grow
// with a big one: a third of what a launch would allocate, and four times the
// memory of a message of megabytes. It keeps no reference to data.
func decode(data []byte) (jsonrpc.Message, error) {
	var e envelope
	if err := parse(data, &e); err != nil {
		return nil, err
	}
	id, err := jsonrpc.MakeID(e.ID)
	switch {
	case err != nil:
		return nil, err
	case e.Version != "2.0":
		return nil, errNoRPC
	case len(e.Method) > 0:
		req := &jsonrpc.Request{ID: id, Params: e.Params}
		if err := parse(e.Method, &req.Method); err != nil {
			return nil, err
		}
		return req, nil
	case !id.IsValid():
		return nil, errNoRPC
	}
	resp := &jsonrpc.Response{ID: id, Result: e.Result}
	if e.Error != nil { // a nil pointer in the field would be an error
		resp.Error = e.Error
	}
	return resp, nil
}

// parse decodes the first value of data into v.
func parse(data []byte, v any) error {
	if deeper(data, maxDepth) {
		return errTooDeep
	}
	if _, err := segmentio.Parse(data, v, segmentio.DontMatchCaseInsensitiveStructFields); err != nil {
		return fmt.Errorf("decode a message: %w", err)
	}
	return nil
}

// deeper reports whether data is nested deeper than depth.
func deeper(data []byte, depth int) bool {
	level, quoted, escaped := 0, false, false
	for _, b := range data {
		switch {
		case escaped:
			escaped = false
		case quoted && b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if level++; level > depth {
				return true
			}
		case b == '}' || b == ']':
			level = max(level-1, 0)
		}
	}
	return false
}
