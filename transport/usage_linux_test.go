package transport

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"rollcall/model"
)

// TestUsageCountsTheGroupAndWhatLeftIt: one child in the group, one in a session
// of its own.
func TestUsageCountsTheGroupAndWhatLeftIt(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for child, want := range map[string]int{"": 1, "group": 2, "session": 2} {
		w := start(t, h, demoSpec(t, "healthy", "--child", child))
		await[model.Connected](w)
		u, err := w.Usage()
		if err != nil || u.Processes != want || u.At.IsZero() {
			t.Errorf("child %q: %+v, %v; want %d processes", child, u, err, want)
		}
		if u.Resident < uint64(want)<<20 || u.Resident > uint64(want)<<30 {
			t.Errorf("child %q: %d bytes resident", child, u.Resident)
		}
		w.Kill()
		if left := await[model.Reaped](w).Survivors; left != nil {
			t.Errorf("child %q: survivors %v", child, left)
		}
		if u, err := w.Usage(); !errors.Is(err, errNoProcess) {
			t.Errorf("after the end: %+v, %v", u, err)
		}
	}
}

// TestUsageCountsTimeOfChildrenThatWereReaped: the leader's child looks at how
// much CPU time it has spent until that is enough, and is waited for; the leader
// itself does nothing.
func TestUsageCountsTimeOfChildrenThatWereReaped(t *testing.T) {
	t.Parallel()
	const ticks, spent = 10, 100 * time.Millisecond
	burn := "u=0; while [ $u -lt " + strconv.Itoa(ticks) + " ]; do read -r s </proc/$$/stat; set -- $s; u=$((${14}+${15})); done"
	w := start(t, newHost(t), commandSpec("/bin/sh", "-c", "/bin/sh -c '"+burn+"'; echo done >&2; while read x; do :; done"))
	w.line("stderr: done")
	u, err := w.Usage()
	if err != nil || u.Processes != 1 || u.CPU < spent || u.CPU > patience {
		t.Errorf("%+v, %v; want one process and %v or more", u, err, spent)
	}
}

func TestUsageOfAServerThatWasOnlyDialledSaysWhy(t *testing.T) {
	w := start(t, newHost(t), urlSpec(model.WebSocket, listen(t, "ws").url))
	await[model.Connected](w)
	if u, err := w.Usage(); !errors.Is(err, errNoProcess) {
		t.Errorf("%+v, %v", u, err)
	}
}
