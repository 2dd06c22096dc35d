package model

import (
	"testing"

	"rollcall/redact"
)

func TestD1_TheMostTellingPartComesFirst(t *testing.T) {
	stderr := []redact.Safe{redact.Word("starting"), redact.Word("Error: Bad credentials"), redact.Word("    at Client.request (client.js:112)"), redact.Word("bye")}
	life := Some(Millis(1_200_000_000))
	for _, c := range []struct {
		name string
		ev   Event
		want string
	}{
		{"an exit", Event{Kind: EvAttemptFailed, Life: life, ExitCode: Some(1), Error: redact.Word("connected, then closed after 1 s (exit code 1)"), Stderr: stderr},
			"exit code 1 after 1 s · Error: Bad credentials"},
		{"a signal", Event{Kind: EvLost, Life: life, Signal: redact.Word("killed")}, "signal killed after 1 s"},
		{"want of memory", Event{Kind: EvLost, Life: life, Signal: redact.Word("killed"), OutOfMemory: true}, "killed: out of memory, after 1 s"},
		{"a close", Event{Kind: EvLost, Life: life, CloseCode: Some(1011)}, "close code 1011 after 1 s"},
		{"no handshake", Event{Kind: EvAttemptFailed, Error: redact.Word("dial: refused")}, "dial: refused"},
		{"ended by probes", Event{Kind: EvAttemptFailed, Life: life, Error: redact.Word("connected, then closed after 1 s (closed by this host: probe timed out after 8 s, 3 of 3 in a row)")}, "probe timed out after 8 s, 3 of 3 in a row, after 1 s"},
		{"closed here", Event{Kind: EvAttemptFailed, Life: life, Error: redact.Word("connected, then closed after 1 s (closed by this host)")}, "closed after 1 s (closed by this host)"},
		{"refused", Event{Kind: EvRefused, Server: "a", Error: redact.Word("server a: url: no url")}, "url: no url"},
	} {
		if got, ok := c.ev.Brief(); !ok || got.String() != c.want {
			t.Errorf("%s: %q, %t; want %q", c.name, got, ok, c.want)
		}
	}
	asked := Event{Kind: EvEnded, Life: life, ExitCode: Some(0)}
	if got, ok := asked.Brief(); ok {
		t.Errorf("an end as asked is no failure: %q", got)
	}
}

func TestTellingPrefersWhatSaysWhy(t *testing.T) {
	for _, c := range []struct {
		lines []redact.Safe
		want  string
	}{
		{nil, ""},
		{[]redact.Safe{redact.Word("one"), redact.Word("two")}, "two"},
		{[]redact.Safe{redact.Word("FATAL: no database"), redact.Word("closing")}, "FATAL: no database"},
		{[]redact.Safe{redact.Word("    at x"), redact.Word("    at y")}, "    at y"},
		{[]redact.Safe{redact.Word("stopped"), redact.Word("    at error()")}, "stopped"},
	} {
		if got := Telling(c.lines); got.String() != c.want {
			t.Errorf("%v: %q, want %q", c.lines, got, c.want)
		}
	}
}
