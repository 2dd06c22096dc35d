package transport

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	segmentio "github.com/segmentio/encoding/json"
)

// countOnly is decode for a big answer to the request id, which asked for a page of
// tools/list: of that a run counts the tools and wants the cursor. The answer
// that it returns has as many tools, without a name, up to one more than most,
// and the cursor; the SDK would need several times the message's memory to
// decode all of it. nil where data is something else, or of another shape: then
// decode says what. It keeps no reference to data.
func countOnly(data []byte, id jsonrpc.ID, most int) *jsonrpc.Response {
	const inPlace = segmentio.ZeroCopy | segmentio.DontMatchCaseInsensitiveStructFields
	var e envelope
	if deeper(data, maxDepth) {
		return nil
	}
	if _, err := segmentio.Parse(data, &e, inPlace); err != nil || e.Version != "2.0" || len(e.Method) > 0 || e.Error != nil {
		return nil
	}
	if got, err := jsonrpc.MakeID(e.ID); err != nil || got != id {
		return nil
	}
	var list struct {
		Tools      []struct{} `json:"tools"`
		NextCursor string     `json:"nextCursor,omitempty"`
		ResultType string     `json:"resultType,omitempty"`
	}
	if _, err := segmentio.Parse(e.Result, &list, inPlace); err != nil || list.Tools == nil {
		return nil
	}
	list.Tools = slices.Clone(list.Tools[:min(len(list.Tools), most+1)])
	result, err := json.Marshal(list) // copies what lies in data
	if err != nil {
		return nil
	}
	return &jsonrpc.Response{ID: id, Result: result}
}
