package transport

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// outgoing is what is looked at of a JSON-RPC message that goes out over HTTP.
type outgoing struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  *struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// maxPeek is how long a body may be to be looked at, in bytes.
const maxPeek = 4 << 10

// peek reads a small request's message; else it is empty.
func peek(req *http.Request) (m outgoing) {
	if req.GetBody == nil || req.ContentLength > maxPeek {
		return m
	}
	body, err := req.GetBody()
	if err != nil {
		return m
	}
	defer body.Close()
	if json.NewDecoder(body).Decode(&m) != nil {
		return outgoing{}
	}
	return m
}

// reworded is what to send instead of the SDK's answer to a request of the
// server's, where M2 wants another: over HTTP the SDK answers those that it does
// not know before anything of ours sees them. Its words end with the quoted
// method. nil: the answer stays.
func (m outgoing) reworded() []byte {
	if m.Error == nil || m.Error.Code != jsonrpc.CodeMethodNotFound {
		return nil
	}
	_, quoted, _ := strings.Cut(m.Error.Message, ": ")
	method, err := strconv.Unquote(quoted)
	if err != nil {
		return nil
	}
	refused := refusal(method)
	if refused.Code == jsonrpc.CodeMethodNotFound {
		return nil
	}
	data, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", m.ID, refused})
	if err != nil {
		return nil
	}
	return data
}
