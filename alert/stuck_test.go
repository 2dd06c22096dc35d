package alert

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// TestA4_ALockThatIsHeldIsSaid: who holds it may have been stopped. No listener
// waits for it each time, and what is missing is counted, to the end.
func TestA4_ALockThatIsHeldIsSaid(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	var to saidBy
	l := NewLog(path, redact.Word("/srv/servers.toml"), Rotation{Bytes: 1 << 20, Keep: 1}, to.warn)
	unlock, err := lockFolder(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for i := range 50 {
		l.Event(failed("s", i), 0)
	}
	if took := time.Since(began); took < lockWait || took > 2*lockWait {
		t.Errorf("took %s", took)
	}
	warned := to.warnings()
	last := warned[len(warned)-1]
	if !strings.Contains(last, "50 lines are missing") || !strings.Contains(last, lockName+": another process holds it") {
		t.Errorf("warned %q", last)
	}
	began = time.Now()
	if n, why := l.Close(); n != 50 || !strings.Contains(why.String(), "another process holds it") || time.Since(began) > closeGrace {
		t.Errorf("%d missing at the end: %s, after %s", n, why, time.Since(began))
	}
	unlock()
}

// TestA4_AWriteThatHangsIsSaid: a network disk may hang for hours. No line waits
// for it, none is written out of its turn, and what comes of it in the end counts.
func TestA4_AWriteThatHangsIsSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	synctest.Test(t, func(t *testing.T) {
		var to saidBy
		l := NewLog(path, redact.Word("/srv/servers.toml"), Rotation{Bytes: 1 << 20, Keep: 1}, to.warn)
		hangs := make(chan struct{})
		l.put = func(b []byte) error { <-hangs; return l.file.append(b) }
		began := time.Now()
		for i := range 5 {
			l.Event(failed("s", i), 0)
		}
		if took := time.Since(began); took != writeWait {
			t.Errorf("took %s", took)
		}
		if warned := to.warnings(); !strings.Contains(warned[len(warned)-1], "5 lines are missing: a write to its folder has begun, and does not end") {
			t.Errorf("warned %q", warned)
		}
		close(hangs)
		synctest.Wait()
		if warned := to.warnings(); warned[len(warned)-1] != "" {
			t.Errorf("warned %q", warned)
		}
		hangs = make(chan struct{})
		l.Event(failed("s", 5), 0)
		if n, why := l.Close(); n != 1 || !strings.Contains(why.String(), "does not end") {
			t.Errorf("%d missing at the end: %s", n, why)
		}
		close(hangs)
		synctest.Wait()
	})
	all, _ := read(t, path)
	if len(all) != 3 || all[0].Attempt.V != 0 || all[1].Lost != 4 || all[2].Attempt.V != 5 {
		t.Errorf("%+v", all)
	}
}

// TestStderrThatHangsIsSaid, and that it goes on, or why not.
func TestStderrThatHangsIsSaid(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		then string // warned of when the write has ended
	}{
		{"in the end it is written", nil, ""},
		{"in the end it fails", errors.New("input/output error"), "stderr cannot be kept, 1 line is not in its files: input/output error; it is tried again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var to saidBy
				s := NewStderr(t.TempDir(), 1<<20, to.warn)
				hangs := make(chan struct{})
				s.put = func(*rotating, []byte) error { <-hangs; return c.err }
				go s.Lines("web", []model.Line{{Kind: model.LineStderr, Text: redact.Word("hello")}}, 0)
				time.Sleep(writeWait - time.Millisecond) // virtual
				synctest.Wait()
				if warned := to.warnings(); len(warned) > 0 {
					t.Errorf("warned too soon: %q", warned)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if warned := to.warnings(); len(warned) != 1 || !strings.HasPrefix(warned[0], "stderr cannot be kept: a write to its folder has begun, and does not end") {
					t.Errorf("warned %q", warned)
				}
				close(hangs)
				synctest.Wait()
				if warned := to.warnings(); len(warned) != 2 || warned[1] != c.then {
					t.Errorf("warned %q", warned)
				}
			})
		})
	}
}

// TestA4_NoLineWaitsForWhatIsCompressed, by this process or by another one.
func TestA4_NoLineWaitsForWhatIsCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := quietLog(t, path, Rotation{Bytes: 1000, Keep: 9})
	l.press.one.Lock() // a file that takes long
	began := time.Now()
	for i := range 20 {
		l.Event(failed("s", i), 0)
	}
	if took := time.Since(began); took > lockWait {
		t.Errorf("took %s", took)
	}
	names, err := asideNames(path)
	if err != nil || len(names) < 4 || strings.HasSuffix(names[0], ".gz") {
		t.Fatal(names, err)
	}
	other, err := os.Open(filepath.Join(filepath.Dir(path), names[0])) // as another process compresses it
	if err != nil {
		t.Fatal(err)
	}
	if err := tryLock(other); err != nil {
		t.Fatal(err)
	}
	l.press.one.Unlock()
	l.Close()
	other.Close()
	now, err := asideNames(path)
	if err != nil || now[0] != names[0] || now[1] != names[1]+".gz" {
		t.Errorf("%v became %v, %v", names, now, err)
	}
}
