package transport

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sift finds JSON-RPC among what came over HTTP: to the SDK's own mind anything
// else ends the connection, and stdio and WebSocket tolerate it (T2, T7).
type sift struct {
	id    jsonrpc.ID   // of the request; not valid where it is unknown, and any answer will do
	noise func([]byte) // takes a line that is no JSON-RPC

	messages [][]byte // what the SDK may see, in the order in which it came
	answer   []byte   // the one of them that answers the request; nil: none did
	orphan   []byte   // the first error that names no request, as an answer to ours
}

// newSift sifts answers to a request of ours, of which said was seen.
func newSift(said outgoing, noise func([]byte)) *sift {
	var raw any
	_ = json.Unmarshal(said.ID, &raw) // what is none is not valid
	id, _ := jsonrpc.MakeID(raw)
	return &sift{id: id, noise: noise}
}

// take takes one message, or one batch; false where data is neither.
func (s *sift) take(data []byte) bool {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return false
	case data[0] == '{':
		return s.one(data)
	case data[0] != '[':
		return false
	}
	var batch []json.RawMessage
	if json.Unmarshal(data, &batch) != nil || len(batch) == 0 {
		return false
	}
	for _, part := range batch {
		if !s.one(part) {
			s.noise(part)
		}
	}
	return true
}

func (s *sift) one(data []byte) bool {
	m, err := decode(data)
	if err != nil {
		if s.orphan == nil {
			s.orphan = s.adopted(data)
		}
		return false
	}
	s.messages = append(s.messages, data)
	if resp, ok := m.(*jsonrpc.Response); ok && s.answer == nil && (resp.ID == s.id || !s.id.IsValid()) {
		s.answer = data
	}
	return true
}

// adopted is a JSON-RPC error that names no request, made the answer to ours; nil
// where data is none. A server that cannot read a request answers so.
func (s *sift) adopted(data []byte) []byte {
	var e envelope
	if !s.id.IsValid() || parse(data, &e) != nil || e.Version != "2.0" || e.ID != nil || len(e.Method) > 0 || e.Error == nil {
		return nil
	}
	answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: s.id, Error: e.Error})
	if err != nil {
		return nil // data may be no JSON, then it stays noise
	}
	return answer
}

// body is the message of a body that the SDK may see: the answer where there is
// one, else whatever is JSON-RPC, else an error to nobody. The only error is a
// *json.UnmarshalTypeError, which says that none of it is.
func (s *sift) body(data []byte) ([]byte, error) {
	whole := s.take(data)
	orphaned := s.orphan != nil
	if s.answer == nil {
		skipped := s.lines(data)
		if whole || orphaned && s.answer == nil {
			skipped = nil // the lines are those of one message
		}
		for _, line := range skipped {
			s.noise(line)
		}
	}
	switch {
	case s.answer != nil:
		return s.answer, nil
	case len(s.messages) > 0:
		return s.messages[0], nil
	case s.orphan != nil:
		return s.orphan, nil
	case json.Valid(data) && bytes.HasPrefix(bytes.TrimSpace(data), []byte{'{'}):
		return nil, &json.UnmarshalTypeError{Value: "other JSON", Type: reflect.TypeFor[string](), Field: "jsonrpc"}
	}
	return nil, &json.UnmarshalTypeError{Value: "other text", Type: reflect.TypeFor[struct{}]()}
}

// maxTries is how many lines of a body are taken for the beginning of a message
// that fills the rest of it.
const maxTries = 8

// lines takes data line by line, and the rest with a line that may begin a message
// of several. It returns the lines that are no JSON-RPC.
func (s *sift) lines(data []byte) (skipped [][]byte) {
	for tries := 0; len(data) > 0; {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		start := bytes.TrimSpace(line)
		switch {
		case len(start) == 0, s.take(line):
		case tries < maxTries && (start[0] == '{' || start[0] == '['):
			tries++
			if s.take(data) {
				return skipped
			}
			fallthrough
		default:
			skipped = append(skipped, line)
		}
		data = rest
	}
	return skipped
}
