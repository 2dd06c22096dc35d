package alert

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// failed is a failed attempt.
func failed(server string, attempt int) model.Event {
	return model.Event{At: time.Date(2026, 11, 30, 8, 0, attempt, 5e6, time.UTC), Kind: model.EvAttemptFailed, Server: server, Attempt: model.Some(attempt),
		Error: redact.Word("connected, then closed after 0 s (exit code 1)"), Stderr: []redact.Safe{redact.Word("Error: no"), redact.Word("  at x")},
		WillRetry: model.Some(true), RetryIn: model.Some(model.Millis(41233 * time.Millisecond))}
}

// quietLog is a log that must not warn.
func quietLog(t *testing.T, path string, r Rotation) *Log {
	return NewLog(path, redact.Word("/srv/servers.toml"), r, func(s redact.Safe) { t.Errorf("warned: %s", s) })
}

func read(t *testing.T, path string) (all []Record, broken int) {
	t.Helper()
	u, err := Read(path, func(r Record) bool { all = append(all, r); return true })
	if err != nil || u.Files != nil {
		t.Fatal(u.Files, err)
	}
	return all, u.Lines
}

func TestA4_ALineHasTheKeysOfTheRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there", FileName)
	l := quietLog(t, path, Rotation{Bytes: 1 << 20, Keep: 1})
	l.Event(failed("github", 3), 0)
	l.Event(model.Event{At: time.Unix(0, 0), Kind: model.EvRecovered, Server: "web", Elapsed: model.Some(model.Millis(time.Minute))}, 0)
	l.Close()
	b, err := os.ReadFile(path)
	want := `{"at":"2026-11-30T08:00:03.005Z","server":"github","kind":"attempt-failed","attempt":3,"error":"connected, then closed after 0 s (exit code 1)","stderr":["Error: no","  at x"],"will_retry":true,"retry_in_ms":41233,"config":"/srv/servers.toml"}
{"at":"1970-01-01T00:00:00.000Z","server":"web","kind":"recovered","elapsed_ms":60000,"config":"/srv/servers.toml"}
`
	if string(b) != want || err != nil {
		t.Errorf("got\n%s%v\nwant\n%s", b, err, want)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, mode)
		}
	}
}

func TestA4_WhichEventsHaveALine(t *testing.T) {
	has := map[model.Kind]bool{model.EvAttemptFailed: true, model.EvDown: true, model.EvHalted: true, model.EvRefused: true, model.EvRecovered: true, model.EvEnded: true}
	for k := model.EvQueued; k <= model.EvConfig; k++ {
		ev := model.Event{Kind: k, ExitCode: model.Some(1), Life: model.Some(model.Millis(1))}
		if _, ok := RecordOf(ev); ok != has[k] {
			t.Errorf("%s: %t", k, ok)
		}
	}
	if _, ok := RecordOf(model.Event{Kind: model.EvEnded, ExitCode: model.Some(0), Life: model.Some(model.Millis(1))}); ok {
		t.Error("an end as asked has a line")
	}
}

func TestA4_RotatedCompressedAndReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := quietLog(t, path, Rotation{Bytes: 4 << 10, Keep: 3})
	const lines = 60 // of some 230 bytes: four files
	for i := range lines {
		if l.Event(failed("s", i%60), 0); l.file.file == nil {
			t.Fatal("the file is not open")
		}
	}
	l.Close()
	if names, err := asideNames(path); err != nil || len(names) != 3 || strings.Count(strings.Join(names, " "), ".gz") != 3 {
		t.Errorf("set aside: %v, %v", names, err)
	}
	all, broken := read(t, path)
	if broken > 0 || len(all) != lines {
		t.Errorf("%d lines, %d broken", len(all), broken)
	}
	for i, r := range all {
		if r.Attempt.V != i {
			t.Fatalf("line %d is of attempt %d", i, r.Attempt.V)
		}
	}
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// TestA4_TwoWritersShareOneLog: two configurations may have one folder. No line
// is lost or torn, also where both set the file aside.
func TestA4_TwoWritersShareOneLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	var all sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		all.Go(func() {
			l := quietLog(t, path, Rotation{Bytes: 3 << 10, Keep: 1000})
			for i := range 200 {
				l.Event(failed(name, i%60), 0)
			}
			l.Close()
			l.press.runs.Wait() // on a slow machine Close does not
		})
	}
	all.Wait()
	got, broken := read(t, path)
	count := map[string]int{}
	for _, r := range got {
		count[r.Server]++
	}
	if count["a"] != 200 || count["b"] != 200 || broken > 0 {
		t.Errorf("%v, %d broken", count, broken)
	}
}

func TestA4_ALogThatCannotBeWrittenIsSaidAndTriedAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	path := filepath.Join(dir, FileName)
	synctest.Test(t, func(t *testing.T) {
		if err := os.WriteFile(dir, nil, 0o600); err != nil { // where the folder should be
			t.Fatal(err)
		}
		var to saidBy
		l := NewLog(path, redact.Word("/srv/servers.toml"), Rotation{Bytes: 1 << 20, Keep: 1}, to.warn)
		for i := range 3 {
			l.Event(failed("s", i), 0)
		}
		l.Event(model.Event{Kind: model.EvProbe}, 4) // what the listener missed counts
		if warned := to.warnings(); len(warned) != 4 || !strings.Contains(warned[3], "7 lines are missing") || !strings.Contains(warned[3], "not a directory") {
			t.Fatalf("warned %q", warned)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(logKeeps) // virtual: no failure comes, and the warning goes all the same
		synctest.Wait()
		if warned := to.warnings(); warned[len(warned)-1] != "" {
			t.Errorf("the warning stands: %q", warned)
		}
		l.Event(failed("s", 9), 0)
		if n, _ := l.Close(); n != 0 {
			t.Errorf("%d lines are lost unsaid", n)
		}
	})
	all, _ := read(t, path)
	if len(all) != 2 || all[0].Kind != Gap || all[0].Lost != 7 || all[1].Attempt.V != 9 {
		t.Errorf("%+v", all)
	}
}

// TestA4_ADiskThatFillsUpLeavesNoTornLine: the write that no longer fits is
// taken back, so that the next line is whole.
// It runs in a process of its own, whose files cannot grow.
func TestA4_ADiskThatFillsUpLeavesNoTornLine(t *testing.T) {
	if os.Getenv("ROLLCALL_FULL_DISK") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "ROLLCALL_FULL_DISK=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	path := filepath.Join(t.TempDir(), FileName)
	var warned []string
	l := NewLog(path, redact.Word("/srv/servers.toml"), Rotation{Bytes: 1 << 20, Keep: 1}, func(s redact.Safe) { warned = append(warned, s.String()) })
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	full := was
	full.Cur = 1000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		l.Event(failed("s", i), 0)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	l.Event(failed("s", 10), 0)
	l.Close()
	all, broken := read(t, path)
	n := len(all)
	if broken > 0 || n < 4 || all[n-2].Kind != Gap || int(all[n-2].Lost) != 10-(n-2) || all[n-1].Attempt.V != 10 {
		t.Errorf("%d broken of %+v", broken, all)
	}
	if len(warned) < 2 || warned[len(warned)-1] != "" {
		t.Errorf("warned %q", warned)
	}
}

func TestA4_AFileThatWasTakenAwayIsMadeAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := quietLog(t, path, Rotation{Bytes: 1 << 20, Keep: 1})
	l.Event(failed("s", 1), 0)
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	l.Event(failed("s", 2), 0)
	l.Close()
	if all, _ := read(t, path); len(all) != 1 || all[0].Attempt.V != 2 {
		t.Errorf("%+v", all)
	}
}

func TestReadSkipsAndCountsWhatIsBroken(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	good, err := json.Marshal(func() Record { r, _ := RecordOf(failed("s", 1)); return r }())
	if err != nil {
		t.Fatal(err)
	}
	text := "not JSON\n" + string(good) + "\n{\"at\":\"never\"}\n" + strings.Repeat("x", maxRecord+5) + "\n" + string(good) + "\n" + string(good[:40])
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	all, broken := read(t, path)
	if len(all) != 2 || broken != 4 {
		t.Errorf("%d records, %d broken", len(all), broken)
	}
	n := 0
	if _, err := Read(path, func(Record) bool { n++; return false }); err != nil || n != 1 {
		t.Errorf("%d records after enough, %v", n, err)
	}
	if all, broken := read(t, filepath.Join(t.TempDir(), FileName)); len(all)+broken > 0 {
		t.Error("a log that is not there has lines")
	}
}

// TestR3_ARecordFromAFileIsCleanedAgain: anyone may have written it.
func TestR3_ARecordFromAFileIsCleanedAgain(t *testing.T) {
	var r Record
	line := `{"at":"2026-11-30T08:00:03.005Z","server":"a\u001b[2J","kind":"\u0007down","error":"\u001b]0;title\u0007x","stderr":["\u202ey"]}`
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(r.Server, r.Kind, r.Error, r.Stderr); strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("%q", text)
	}
}

func TestStderrIsKeptWithinItsLimit(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stderr")
	s := NewStderr(dir, 1<<20, func(s redact.Safe) { t.Errorf("warned: %s", s) })
	line := (*redact.Redactor)(nil).Text(strings.Repeat("a word ", 100))
	lines := make([]model.Line, 20)
	for i := range lines {
		lines[i] = model.Line{Text: line}
	}
	for i := range 600 { // 8 MB
		s.Lines(fmt.Sprint("server-", i%6), lines, 0)
	}
	s.Lines("../../etc/passwd", []model.Line{{Text: line}, {Kind: model.LineNoise, Text: redact.Word("noise")}}, 7)
	s.Close()
	var sum int64
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil { // not one that is removed just now
			sum += info.Size()
		}
	}
	if sum > 1<<20+1<<17 || sum < 1<<18 {
		t.Errorf("%d bytes in %d files", sum, len(list))
	}
	b, err := os.ReadFile(filepath.Join(dir, "_.._.._etc_passwd.log"))
	if text := string(b); err != nil || strings.Contains(text, "noise") || !strings.Contains(text, "7 lines are missing here") || strings.Count(text, "\n") != 2 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestStderrThatCannotBeKeptIsCounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stderr")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var warned []string
	s := NewStderr(dir, 1<<20, func(s redact.Safe) { warned = append(warned, s.String()) })
	three := []model.Line{{}, {}, {}}
	s.Lines("a", three, 2)
	s.Lines("a", three, 0)
	if s.Lost() != 8 || len(warned) != 2 || !strings.Contains(warned[1], "8 lines") {
		t.Errorf("%d lost, warned %q", s.Lost(), warned)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	s.Lines("a", three, 0)
	s.Close()
	b, err := os.ReadFile(filepath.Join(dir, "a.log"))
	if warned[len(warned)-1] != "" || err != nil || !strings.Contains(string(b), "8 lines are missing here") {
		t.Errorf("warned %q; %s, %v", warned, b, err)
	}
}

// TestA4_WhatCannotBeReadHidesNothingElse, and is named: how much is missing in a
// file that is cut short, nobody knows.
func TestA4_WhatCannotBeReadHidesNothingElse(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	l := quietLog(t, path, Rotation{Bytes: 40 << 10, Keep: 9})
	for i := range 300 {
		l.Event(failed("s", i%60), 0)
	}
	l.Close()
	names, err := asideNames(path)
	if err != nil || len(names) != 1 || !strings.HasSuffix(names[0], ".gz") {
		t.Fatal(names, err)
	}
	whole := filepath.Join(dir, names[0])
	info, err := os.Stat(whole)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(whole, info.Size()*2/3); err != nil {
		t.Fatal(err)
	}
	noGzip := filepath.Join(dir, "failures-2026-01-01T00-00-00.000.log.gz")
	if err := os.WriteFile(noGzip, []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	u, err := Read(path, func(Record) bool { n++; return true })
	if err != nil || u.Lines != 0 || len(u.Files) != 3 || n == 0 {
		t.Fatalf("%d records, %+v, %v", n, u, err)
	}
	for i, want := range []string{"failures.log 0 no regular file", filepath.Base(noGzip) + " 0 it ends too early", fmt.Sprint(names[0], " ", n, " it ends too early")} {
		if f := u.Files[i]; fmt.Sprint(f.Name, " ", f.Records, " ", f.Why) != want {
			t.Errorf("%+v, want %q", f, want)
		}
	}
}
