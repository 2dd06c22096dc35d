package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestT2_ABigListOfToolsIsCountedWhereItIs(t *testing.T) {
	id, _ := jsonrpc.MakeID(7.0)
	message := func(id, result string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	}
	tool := `{"name":"a","inputSchema":{"type":"object","properties":{"x":[1,2,{"y":null}]}}}`
	list := func(n int, more string) string {
		return `{"tools":[` + strings.Repeat(tool+",", n-1) + tool + `]` + more + `}`
	}
	for what, test := range map[string]struct {
		data   []byte
		tools  int // -1: it is left to decode
		cursor string
	}{
		"three":         {message("7", list(3, `,"_meta":{"pad":"xx"}`)), 3, ""},
		"a cursor":      {message("7", list(2, `,"nextCursor":"p\u00322","resultType":"complete"`)), 2, "p22"},
		"too many":      {message("7", list(500, "")), 101, ""},
		"none":          {message("7", `{"tools":[]}`), 0, ""},
		"another's":     {message("8", list(3, "")), -1, ""},
		"a text for id": {message(`"7"`, list(3, "")), -1, ""},
		"an error":      {[]byte(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"x"}}`), -1, ""},
		"a request":     {[]byte(`{"jsonrpc":"2.0","id":7,"method":"ping","result":{"tools":[]}}`), -1, ""},
		"no tools":      {message("7", `{}`), -1, ""},
		"tools no list": {message("7", `{"tools":{}}`), -1, ""},
		"texts as tool": {message("7", `{"tools":["a"]}`), -1, ""},
		"not 2.0":       {[]byte(`{"jsonrpc":"1.0","id":7,"result":{"tools":[]}}`), -1, ""},
		"cut":           {[]byte(`{"jsonrpc":"2.0","id":7,"result":{"tools":[{}`), -1, ""},
		"deep":          {message("7", `{"tools":[`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000)+`]}`), -1, ""},
	} {
		resp := countOnly(test.data, id, 100)
		if resp == nil || test.tools < 0 {
			if (resp == nil) != (test.tools < 0) {
				t.Errorf("%s: %+v", what, resp)
			}
			continue
		}
		copy(test.data, bytes.Repeat([]byte{'!'}, len(test.data))) // no reference is kept
		var got mcp.ListToolsResult
		if err := json.Unmarshal(resp.Result, &got); err != nil || len(got.Tools) != test.tools || got.NextCursor != test.cursor || resp.ID != id {
			t.Errorf("%s: %v, %s", what, err, resp.Result)
		}
	}
}
