package transport

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzDecodeIsTheSDKs has decode and the SDK read the same bytes: what one takes
// for a message the other does too, and for the same one.
func FuzzDecodeIsTheSDKs(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`,
		`{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no \u0041","data":{"supported":["x"]}}}`,
		`{"jsonrpc":"2.0","id":1,"error":null}`, `{"jsonrpc":"2.0","id":1,"error":{"code":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"a":[1,2,{}]}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`, `{"jsonrpc":"2.0","id":7,"method":""}`,
		`{"jsonrpc":"2.0","id":7,"method":null}`, `{"jsonrpc":"2.0","id":7,"method":3}`,
		`{"jsonrpc":"2.0","id":null,"result":{}}`, `{"jsonrpc":"2.0","id":[1],"result":{}}`, `{"jsonrpc":"2.0","id":1.5,"result":1}`,
		`{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"1.0","id":1,"result":{}}`, `{"jsonrpc":2,"id":1}`,
		`{"JSONRPC":"2.0","Id":1,"Result":{}}`, `{"jsonrpc":"2.0","id":1,"ID":2,"result":1,"result":2}`,
		`{"jsonrpc":"2.0","id":1,"result":{}} and more`, `{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":2,"result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{`, `{"level":"info","msg":"ready"}`, `{}`, `{`, `null`, `[]`, "", " ", "{\"jsonrpc\":\x80}",
		`{"jsonrpc":"2.0","id":1,"result":"\"[[[["}`,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}`,
		`{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, refused := jsonrpc.DecodeMessage(data)
		got, err := decode(data)
		if (err != nil) != (refused != nil) {
			t.Fatalf("%q: %v; the SDK: %v", data, err, refused)
		}
		if err != nil {
			return
		}
		if g, w := encoded(t, got), encoded(t, want); !bytes.Equal(g, w) {
			t.Fatalf("%q: %s; the SDK: %s", data, g, w)
		}
	})
}

// encoded is a message as it would be sent, and its error for one that cannot be.
func encoded(t *testing.T, m jsonrpc.Message) []byte {
	t.Helper()
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return []byte(err.Error())
	}
	return data
}

// TestT8_ADeepMessageIsRefusedAtOnce: a decoder that went down with it would need
// a stack of its length.
func TestT8_ADeepMessageIsRefusedAtOnce(t *testing.T) {
	deep := `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 32<<20)
	if m, err := decode([]byte(deep)); err == nil {
		t.Errorf("it was taken for %v", m)
	}
}

// TestADecodedMessageIsItsOwn: the line that it came in is used again.
func TestADecodedMessageIsItsOwn(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":"one","result":{"a":"b"}}`)
	m, err := decode(line)
	if err != nil {
		t.Fatal(err)
	}
	before := encoded(t, m)
	for i := range line {
		line[i] = 'x'
	}
	if after := encoded(t, m); !bytes.Equal(before, after) {
		t.Errorf("%s became %s", before, after)
	}
}

// TestAMessageIsDecodedWithoutABufferBesideIt: a launch decodes several, and each
// probe one more.
func TestAMessageIsDecodedWithoutABufferBesideIt(t *testing.T) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}`)
	const times = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if _, err := decode(line); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 4<<10 {
		t.Errorf("a message of %d bytes takes %d bytes to decode", len(line), each)
	}
}
