package supervise

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

// other is an entry of that name that runs another way.
func other(name string) model.Entry {
	s := spec(name)
	s.Fingerprint[0]++
	return model.Entry{Name: name, Spec: s}
}

func same(name string) model.Entry { return model.Entry{Name: name, Spec: spec(name)} }

// inForce says which entries are in force: s as at the start, s' another, s! none.
func inForce(t *testing.T, r *rig) string {
	t.Helper()
	entries, err := r.e.InForce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		switch {
		case e.Spec == nil:
			e.Name += "!"
		case e.Spec.Fingerprint != spec(e.Name).Fingerprint:
			e.Name += "'"
		}
		out = append(out, e.Name)
	}
	return strings.Join(out, " ")
}

func TestC8_TheEngineCountsWhatWaitsAndKnowsWhatIsInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		r := newRig(t, func(r *fakeRun) {
			if r.spec.Name == "idle" {
				dead(r)
				return
			}
			r.handshake()
			<-r.stopped
			r.close(model.End{Cause: model.ClosedByHost})
			if r.spec.Name == "slow" {
				<-leave
			}
			r.reap()
		}, nil, spec("a"), spec("b"), spec("slow"), spec("idle"))
		r.after(time.Second)
		bad := model.Entry{Name: "bad", Problems: []model.Problem{{Server: "bad", Text: safe("bad.url: not a URL")}}}
		step := func(what string, waits model.Waits, want string) {
			t.Helper()
			r.after(time.Second)
			if got := r.fleet().Waits; got != waits {
				t.Errorf("%s: waits %+v, want %+v", what, got, waits)
			}
			if got := inForce(t, r); got != want {
				t.Errorf("%s: in force %q, want %q", what, got, want)
			}
		}
		step("at the start", model.Waits{}, "a b slow idle")

		saved := []model.Entry{other("a"), bad, other("slow")}
		r.e.Configure(saved, false)
		step("after the save", model.Waits{Added: 1, Changed: 2, Removed: 2}, "a b slow idle")
		r.order(model.Restart, "1", "a") // the rig's file has it as it was
		step("restarted as it was", model.Waits{Added: 1, Changed: 1, Removed: 2}, "a b slow idle")
		r.e.Configure(saved, true)
		step("reloaded, slow still stops", model.Waits{}, "a' bad! slow'")

		r.e.Configure(saved[:2], true)
		r.e.Configure(saved, false)
		step("slow leaves, and is there again", model.Waits{Added: 1}, "a' bad!")
		close(leave)
		step("slow has left", model.Waits{Added: 1}, "a' bad!")

		r.e.Stop()
		<-r.ended
		r.ended <- nil
		if _, err := r.e.InForce(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestC8_InForceGivesUpWithItsContext(t *testing.T) {
	e := New(Options{Slots: 1}, nil) // nobody runs its loop
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.InForce(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestS_EnabledCountsThoughItRunsTheSameWay: whether a server runs is no part
// of how it runs, so of two specs that differ in it the fingerprint is the same.
func TestS_EnabledCountsThoughItRunsTheSameWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(time.Second)
		off := same("s")
		off.Spec.Enabled = false
		off.Spec.Shown = &model.Shown{}
		for _, c := range []struct {
			what  string
			entry model.Entry
			apply bool
			phase model.Phase
			run   uint64
			note  string
		}{
			{"saved as it was", same("s"), false, model.Settling, 1, ""},
			{"disabled and saved", off, false, model.Settling, 1, "disabled in the file: reload stops it"},
			{"enabled again and saved", same("s"), false, model.Settling, 1, ""},
			{"disabled and reloaded", off, true, model.Off, 1, ""},
			{"enabled and saved", same("s"), false, model.Settling, 2, ""},
			{"reloaded as it is", same("s"), true, model.Settling, 2, ""},
		} {
			r.e.Configure([]model.Entry{c.entry}, c.apply)
			r.after(time.Second)
			if row := r.row("s"); row.Phase != c.phase || row.Run != c.run || row.Note.String() != c.note {
				t.Errorf("%s: %s, run %d, %q", c.what, row.Phase, row.Run, row.Note)
			}
		}

		r.e.Configure([]model.Entry{off}, true)
		r.specs["s"] = off.Spec
		r.after(time.Second)
		r.order(model.Connect, "1", "s")
		r.after(time.Second)
		before := r.row("s")
		r.e.Configure([]model.Entry{same("s")}, true)
		r.after(time.Second)
		if row := r.row("s"); row.Run != before.Run || row.Phase != model.Settling || row.Note != before.Note {
			t.Errorf("connected by an operator, then enabled: run %d to %d, %s, %q", before.Run, row.Run, row.Phase, row.Note)
		}
	})
}

// TestS_EnabledWhileAHaltIsReaped: what runs may be disabled by its entry, where
// an operator connected it. Enabled while it is reaped, it starts.
func TestS_EnabledWhileAHaltIsReaped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goes := make(chan struct{})
		off := spec("s")
		off.Enabled = false
		r := newRig(t, func(r *fakeRun) {
			if r.dial.Run > 1 {
				healthy(r)
				return
			}
			r.close(model.End{Cause: model.NeedsCredentials, Text: safe("HTTP 401")})
			<-goes
			r.reap()
		}, nil, off)
		r.after(time.Second)
		r.order(model.Connect, "1", "s")
		r.after(time.Second)
		r.e.Configure([]model.Entry{same("s")}, false)
		r.after(time.Second)
		close(goes)
		r.after(time.Second)
		if row := r.row("s"); row.Phase != model.Settling || row.Run != 2 {
			t.Errorf("it is %s at run %d", row.Phase, row.Run)
		}
	})
}

func TestC8_ABrokenFileIsToldOnceAndSoIsItsMending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		for _, note := range []string{"", "servers.toml:1: not TOML", "servers.toml:1: not TOML", "servers.toml:2: not TOML", "", ""} {
			r.e.Note(safe(note))
			r.after(time.Second)
			if got := r.fleet().Note.String(); got != note {
				t.Errorf("the note is %q, want %q", got, note)
			}
		}
		var told []string
		for _, ev := range r.events(model.EvConfig) {
			told = append(told, ev.Text.String())
		}
		const want = "servers.toml:1: not TOML; servers.toml:2: not TOML; the configuration can be read again"
		if got := strings.Join(told, "; "); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}
