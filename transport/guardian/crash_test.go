package guardian

import (
	"io"
	"strings"
	"testing"
)

func TestR4_WhatTheRuntimePrintsIsWithheldWhereItMayHoldASecret(t *testing.T) {
	const trace = "goroutine 7 [running]:\nmain.f({0xc000012345, 0x7})\n\t/src/main.go:12 +0x1d\ncreated by main.main in goroutine 1\n"
	for _, c := range []struct {
		name, printed string
		shows         []string
		crashed       bool
	}{
		{"a fatal error", "fatal error: concurrent map writes\n\n" + trace, []string{"fatal error: concurrent map writes", "/src/main.go:12", "created by"}, true},
		{"a panic's value", "panic: token hunter22\n\tand hunter22\n\tgoroutine hunter22\n\n" + trace, []string{"panic: (withheld)", "/src/main.go:12"}, true},
		{"a wrapped panic", "panic: hunter22 [recovered]\n\tpanic: hunter22\n[signal SIGSEGV: segmentation violation]\n\n" + trace, []string{"panic: (withheld)", "[signal SIGSEGV"}, true},
		{"the runtime's own panic", "panic: runtime error: index out of range [5] with length 3\n\n" + trace, []string{"index out of range [5] with length 3"}, true},
		{"out of memory", "runtime: out of memory: cannot allocate 1 byte\nfatal error: out of memory\n" + trace, []string{"fatal error: out of memory"}, true},
		{"a library's log", "2026/11/29 hunter22\nINFO hunter22 panic: hunter22\n", nil, false},
		{"a long line", "panic: " + strings.Repeat("hunter22", maxLine) + "\n" + trace, []string{"panic: (withheld)", "goroutine 7"}, true},
		{"nothing", "", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			back := 0
			crashed := crash(strings.NewReader(c.printed), &out, func() {
				if back++; out.Len() > 0 {
					t.Error("something was written before the terminal was put back")
				}
			})
			if crashed != c.crashed || (back == 1) != c.crashed {
				t.Errorf("crashed %t, put back %d times", crashed, back)
			}
			for _, s := range c.shows {
				if !strings.Contains(out.String(), s) {
					t.Errorf("no %q in:\n%s", s, out.String())
				}
			}
			if strings.Contains(out.String(), "hunter22") || !c.crashed && out.Len() > 0 {
				t.Errorf("it shows:\n%s", out.String())
			}
		})
	}
}

// The terminal is put back before the runtime has printed more than its first
// line.
func TestR4_TheTerminalIsPutBackFirst(t *testing.T) {
	r, w := io.Pipe()
	back, done := make(chan struct{}), make(chan bool)
	go func() { done <- crash(r, io.Discard, func() { close(back) }) }()
	for _, s := range []string{"fatal error: ", "x", "\n"} {
		_, _ = io.WriteString(w, s)
	}
	<-back
	_ = w.Close()
	if !<-done {
		t.Error("no crash")
	}
}

func TestReadTellsAnOrderlyEnd(t *testing.T) {
	for text, want := range map[string]bool{"+4711 1\n-4711\n.\n": true, "+4711 1\n": false, "": false} {
		if groups, bye := read(strings.NewReader(text), nil); bye != want || len(groups) > 1 {
			t.Errorf("%q: %v, %t", text, groups, bye)
		}
	}
}
