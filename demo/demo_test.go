package demo

import (
	"bytes"
	"strings"
	"testing"
)

func TestMainOnWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "which server?"},
		{[]string{"nobody"}, 2, `no server is named "nobody"`},
		{[]string{"healthy", "--no-such-flag"}, 2, "no-such-flag"},
		{[]string{"healthy", "more"}, 2, `unexpected argument "more"`},
		{[]string{"--help"}, 0, "flap"},
		{[]string{"flap", "--help"}, 0, "-life"},
	} {
		var out, errw bytes.Buffer
		if code := Main(c.args, strings.NewReader(""), &out, &errw); code != c.code || !strings.Contains(errw.String(), c.says) {
			t.Errorf("%v: exit %d, %s", c.args, code, errw.String())
		}
		if out.Len() > 0 {
			t.Errorf("%v wrote on stdout: %s", c.args, out.String())
		}
	}
}

func TestStdioAnswersInOrderAndEndsWithStdin(t *testing.T) {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"ping"}
{"jsonrpc":"2.0","id":"x","method":"no/such"}
`)
	var out, errw bytes.Buffer
	if code := Main([]string{"healthy", "--beat", "0"}, in, &out, &errw); code != 0 {
		t.Errorf("exit %d", code)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"protocolVersion":"2025-06-18"`, `"id":2,"jsonrpc":"2.0","result":{}`, `"id":"x"`} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d is not %s:\n%s", i, want, out.String())
		}
	}
}
