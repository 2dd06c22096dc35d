package supervise

import (
	"fmt"
	"testing"
	"time"

	"rollcall/model"
)

func TestT3_NoiseAndOwnLinesDoNotPushOutStderr(t *testing.T) {
	l := newTail("s", nil)
	l.add(time.Time{}, 1, model.LineStderr, safe("Error: disk full"))
	for i := range 3 * tailLines {
		l.add(time.Time{}, 1, model.LineNoise, safe(fmt.Sprint(i)))
	}
	if got := l.lastStderr(1, lastLines); len(got) != 1 || got[0].String() != "Error: disk full" {
		t.Errorf("the last stderr is %q", got)
	}
	lines := l.after(0, 1<<20)
	if len(lines) != tailLines+1 || lines[0].Text.String() != "Error: disk full" || lines[1].Text.String() != "2000" {
		t.Errorf("%d lines kept, first %q, then %q", len(lines), lines[0].Text, lines[1].Text)
	}
}

func TestT3_TheTailKeepsAThousandLinesAnd256KiB(t *testing.T) {
	l := newTail("s", nil)
	for i := range 2500 {
		kind := model.LineStderr
		if i%5 == 0 {
			kind = model.LineEvent
		}
		l.add(time.Time{}, 1, kind, safe(fmt.Sprint(i)))
	}
	lines := l.after(0, 1<<20)
	for i := 1; i < len(lines); i++ {
		if lines[i].Seq <= lines[i-1].Seq {
			t.Fatalf("line %d is before line %d", lines[i].Seq, lines[i-1].Seq)
		}
	}
	if n := len(lines); n != 1500 { // 1,000 of stderr, and all 500 others
		t.Errorf("%d lines kept, want 1500", n)
	}
	if got := l.after(2497, 100); len(got) != 3 || got[2].Text.String() != "2499" {
		t.Errorf("after 2497: %v", got)
	}
	if got := l.after(0, 2); len(got) != 2 || got[1].Text.String() != "2499" {
		t.Errorf("the newest two: %v", got)
	}
	long := safe(fmt.Sprintf("%08192d", 0))
	for range 100 {
		l.add(time.Time{}, 1, model.LineStderr, long)
	}
	if l.stderr.bytes > tailBytes {
		t.Errorf("%d bytes kept, at most %d may be", l.stderr.bytes, tailBytes)
	}
	// The counts are over all lines, kept or not: 2,000 short ones of stderr, of
	// 1 to 4 digits, and the long ones.
	if got := l.marks(); got.stderr != 2100 || got.stderrBytes != 7112+100*8192 {
		t.Errorf("%d lines and %d bytes of stderr counted", got.stderr, got.stderrBytes)
	}
}
