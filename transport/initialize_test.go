package transport

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rollcall/model"
)

// picky is a server on its pipes that refuses initialize with an error unless it
// asks for a revision, and says on stderr what was asked for.
func picky(revision, refusal string) *model.Spec {
	return commandSpec("/bin/sh", "-c", `
		n=0
		while read request; do
			case $request in *'"method":"initialize"'*) ;; *) continue ;; esac
			n=$((n+1))
			echo "asked: $request" >&2
			case $request in
			*'"protocolVersion":"`+revision+`"'*) echo '{"jsonrpc":"2.0","id":'$n',"result":{"protocolVersion":"`+revision+`","capabilities":{}}}' ;;
			*) echo '{"jsonrpc":"2.0","id":'$n',"error":`+refusal+`}' ;;
			esac
		done`)
}

// asked counts how often picky was asked for anything.
func (w *watched) asked() (n int) {
	await[model.Reaped](w)
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		if strings.HasPrefix(l, "stderr: asked: ") {
			n++
		}
	}
	return n
}

func TestT6_TheOldestRevisionIsOfferedWhereAnotherIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, refusal := range []string{
		`{"code":-32602,"message":"no"}`, `{"code":-32603,"message":"Protocol Version mismatch"}`, `{"code":-32022,"message":"no"}`,
	} {
		w := start(t, h, picky("2024-11-05", refusal), func(d *model.Dial) { d.Legacy = true })
		if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != "2024-11-05" {
			t.Errorf("%s: %+v", refusal, shaken)
		}
		w.Stop()
		if n := w.asked(); n != 2 {
			t.Errorf("%s: asked %d times", refusal, n)
		}
	}
}

func TestT6_OverHTTPTheOldestRevisionIsOfferedToo(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		s := pickyWeb(t, status)
		w := start(t, h, urlSpec(model.HTTP, s))
		if shaken := await[model.Handshaken](w).Handshake; shaken.Revision.String() != "2024-11-05" {
			t.Errorf("%d: %+v", status, shaken)
		}
		await[model.Connected](w)
	}
}

// pickyWeb is picky over HTTP: it refuses with a status and an error.
func pickyWeb(t *testing.T, status int) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion string }
		}
		_ = json.Unmarshal(body, &m)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case m.Method == methodDiscover:
			w.WriteHeader(http.StatusBadRequest)
		case m.Method != methodInitialize:
			w.WriteHeader(http.StatusAccepted)
		case m.Params.ProtocolVersion == "2024-11-05":
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"protocolVersion":"2024-11-05","capabilities":{}}}`)
		default:
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"error":{"code":-32602,"message":"Unsupported protocol version"}}`)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestT6_WhatIsRefusedTwiceSaysWhatToSet(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, c := range []struct {
		name, refusal string
		asked         int
		cause         model.Cause
		text          string
		pinned        string
	}{
		{"twice", `{"code":-32602,"message":"no"}`, 2, model.HandshakeFailed,
			"error -32602: no, in answer to initialize, for 2025-11-25 and 2024-11-05 alike: if it speaks one between, set protocol_version", ""},
		{"its code", `{"code":-32022,"message":"no"}`, 2, model.NoCommonRevision,
			"protocol version refused: error -32022: no, for 2025-11-25 and 2024-11-05 alike: if it speaks one between, set protocol_version; rollcall speaks 2024-11-05 to 2026-07-28", ""},
		{"another error", `{"code":-32603,"message":"no database"}`, 1, model.HandshakeFailed, "error -32603: no database, in answer to initialize", ""},
		{"a list", `{"code":-32602,"message":"no","data":{"supported":["1999-01-01"]}}`, 1, model.NoCommonRevision,
			"protocol version refused: error -32602: no; rollcall speaks 2024-11-05 to 2026-07-28", ""},
		{"pinned", `{"code":-32602,"message":"no"}`, 1, model.HandshakeFailed, "error -32602: no, in answer to initialize", "2025-06-18"},
	} {
		spec := picky("never", c.refusal)
		spec.Revision = c.pinned
		w := start(t, h, spec, func(d *model.Dial) { d.Legacy = true })
		if end := await[model.Closed](w).End; end.Cause != c.cause || end.Text.String() != c.text {
			t.Errorf("%s: %v: %s", c.name, end.Cause, end.Text)
		}
		if n := w.asked(); n != c.asked {
			t.Errorf("%s: asked %d times", c.name, n)
		}
	}
}
