package supervise

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
)

func TestHealthSaysHowDeepAndHowLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, healthy, nil, spec("s"))
		r.after(time.Second)
		if h, err := r.e.Health(t.Context()); err != nil || h.Mailbox != 0 || h.Lag != 0 || !h.At.Equal(time.Now()) {
			t.Errorf("idle: %+v, %v", h, err)
		}
		r.e.call(func() { time.Sleep(3 * time.Second) }) // a loop that hangs, in virtual time
		synctest.Wait()
		r.order(model.Disconnect, "d", "nobody")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if h, err := r.e.Health(ctx); !errors.Is(err, context.DeadlineExceeded) || h.Mailbox != 2 || h.Lag != time.Second {
			t.Errorf("hanging: %+v, %v, want 2 messages and 1 s", h, err)
		}
		if h, err := r.e.Health(t.Context()); err != nil || h.Mailbox != 3 || h.Lag != 2*time.Second {
			t.Errorf("when it went on: %+v, %v, want 3 messages and 2 s", h, err)
		}
		if h, err := r.e.Health(t.Context()); err != nil || h.Mailbox != 0 {
			t.Errorf("then: %+v, %v", h, err)
		}
	})
}

// TestQuestionsEndWithTheEngine: whoever asked while it wound up does not wait
// for ever.
func TestQuestionsEndWithTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		off := spec("s")
		off.Enabled = false // nothing runs that a stop would wait for
		r := newRig(t, healthy, nil, off)
		r.after(time.Second)
		asked := make(chan error, 1)
		r.e.call(func() {
			r.e.stopping = true
			go func() { // its question comes to a loop that has ended its last round
				_, err := r.e.Health(context.Background())
				asked <- err
			}()
			time.Sleep(time.Second)
		})
		<-r.ended
		r.ended <- nil
		if err := <-asked; !errors.Is(err, ErrStopped) {
			t.Errorf("the one that had asked: %v", err)
		}
		_, health := r.e.Health(t.Context())
		_, usage := r.e.Usage(t.Context(), "s")
		_, entries := r.e.InForce(t.Context())
		for _, err := range []error{health, usage, entries} {
			if !errors.Is(err, ErrStopped) {
				t.Errorf("after the end: %v", err)
			}
		}
		if f, err := r.e.Next(t.Context(), 0); err != nil || len(f.Rows) != 1 {
			t.Errorf("the last snapshot: %v, %v", f, err)
		}
	})
}

func TestD6_UsageIsSampledOutsideTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		off := spec("off")
		off.Enabled = false
		r := newRig(t, func(r *fakeRun) {
			if r.spec.Name == "slow" {
				r.usage = func() (model.Usage, error) {
					<-hang
					return model.Usage{}, errors.New("too late")
				}
			}
			healthy(r)
		}, nil, spec("s"), spec("slow"), off)
		r.after(time.Second)
		if u, err := r.e.Usage(t.Context(), "s"); err != nil || u.Processes != 1 || u.Resident != 1<<20 {
			t.Errorf("%+v, %v", u, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.e.Usage(ctx, "slow"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one that hangs: %v", err)
		}
		if h, err := r.e.Health(t.Context()); err != nil || h.Lag != 0 {
			t.Errorf("it held up the loop: %+v, %v", h, err)
		}
		close(hang)
		if _, err := r.e.Usage(t.Context(), "slow"); err == nil || err.Error() != "too late" {
			t.Errorf("its own error: %v", err)
		}
		r.order(model.Disconnect, "d", "s")
		r.after(time.Second)
		for server, want := range map[string]string{"s": "s: nothing of it runs", "off": "off: nothing of it runs", "nobody": "no server is named nobody"} {
			if _, err := r.e.Usage(t.Context(), server); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", server, err, want)
			}
		}
	})
}

func TestN2_TheFirstSnapshotIsFreshHoweverLongNobodyLooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(r *fakeRun) {
			r.handshake()
			<-r.stopped
			time.Sleep(time.Second) // virtual: its stop takes a while
			r.close(model.End{Cause: model.ClosedByHost})
			r.reap()
		}, nil, spec("s"))
		r.after(10 * time.Minute)
		began := time.Now()
		f, err := r.e.Next(t.Context(), 0)
		if err != nil || f.Rows[0].Phase != model.Up || f.Rows[0].Probe.IsZero() {
			t.Errorf("%s, %v, want it up and probed", f.Rows[0].Phase, err)
		}
		r.order(model.Disconnect, "d", "s") // what was said before the call has come to it
		f, err = r.e.Next(t.Context(), 0)
		if err != nil || f.Rows[0].Phase != model.Stopping {
			t.Errorf("%s, %v, want stopping", f.Rows[0].Phase, err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("both took %s, want them at once", took)
		}
		r.after(2 * time.Second)
		f, _ = r.e.Next(t.Context(), 0)
		if g, _ := r.e.Next(t.Context(), 0); g.Seq != f.Seq {
			t.Errorf("snapshot %d, then %d: nothing had changed", f.Seq, g.Seq)
		}
	})
}

func TestTheFirstSnapshotIsThereBeforeTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New(Options{Slots: 1}, []model.Entry{{Name: "s", Spec: spec("s")}})
		if f, err := e.Next(t.Context(), 0); err != nil || len(f.Rows) != 1 {
			t.Errorf("%v, %v", f, err)
		}
	})
}
