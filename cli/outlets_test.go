package cli

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rollcall/alert"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
)

// TestR2_TheSecretsOfARefusedEntryAreTakenOutToo, as far as it was read: the
// program of [alerts] may have read the file.
func TestR2_TheSecretsOfARefusedEntryAreTakenOutToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "servers.toml")
	t.Setenv("CANARY_SECRET", "caNAry-0")
	write(t, path, `
[servers.timing]
command = "x"
args = ["--token", "caNAry-1"]
env = { VALUE = "caNAry-2", "A=B" = "caNAry-3" }
secrets = { PIN = "caNAry-4" }
probe_interval = true
[servers.scheme]
url = "htp://anna:caNAry-5@host/?q=${CANARY_SECRET}"
headers = { Authorization = "Bearer caNAry-6" }
[servers.nothing]
headers = { X-Api-Key = "caNAry-7" }
[servers.header]
url = "https://host/?key=caNAry-8"
headers = { "not one" = "caNAry-9" }
[alerts]
exec = ["sh", "-c", "grep -o 'caN[A]ry-[0-9]' servers.toml | tr '\\n' ' ' >&2; printenv CANARY_SECRET >&2; exit 1"]
`)
	file, err := config.Load(path, processEnv())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range file.Entries {
		if e.Spec != nil {
			t.Fatalf("%s is not refused", e.Name)
		}
	}
	r := sinksOf(file.Alerts, newKnown(file.Entries))[0].Send(t.Context(), alert.Test(hostName(), time.Now()))
	if said := r.Err.String(); strings.Contains(said, "caNAry") || !strings.Contains(said, "‹PIN›") {
		t.Errorf("it said %s", said)
	}
}

// TestR2_NoAlertHoldsASecret lets the canary's servers fail with everything of
// [alerts] and [log] on: what is posted, handed to exec and written holds none.
func TestR2_NoAlertHoldsASecret(t *testing.T) {
	c := newCanary(t)
	const hookPath = "/services/T0001/caNAry-webhook-12"
	const token = "caNAry-token-13"
	for _, form := range append(writtenForms(token), "caNAry-webhook-12") {
		c.forms[form] = "token or webhook"
	}
	const otherToken = "caNAry-token-14"
	for _, form := range writtenForms(otherToken) {
		c.forms[form] = "variable that no server has"
	}
	t.Setenv("CANARY_TOKEN", token)
	t.Setenv("CANARY_OTHER_TOKEN", otherToken) // no server has it
	posts := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		posts <- string(b)
	}))
	t.Cleanup(hook.Close)
	good, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, c.path, string(good)+`
[servers.halts]
command = "/nowhere/${CANARY_TOKEN}"

[alerts]
webhook = "`+hook.URL+hookPath+`"
exec = ["./notify.sh", "--token", "`+c.secrets["equals"]+`"]

[log]
dir = "."
stderr = true
`)
	said := strings.Join(slices.Collect(maps.Values(c.secrets)), " ")
	write(t, filepath.Join(c.dir, "said"), strings.ReplaceAll(said, "\n", " ")+" "+base64.StdEncoding.EncodeToString([]byte(said)))
	write(t, filepath.Join(c.dir, "notify.sh"), "#!/bin/sh\ncat >> exec.out\necho \"no route for $2, $CANARY_TOKEN, $CANARY_OTHER_TOKEN, $(cat said)\" >&2\nexit 3\n")
	if err := os.Chmod(filepath.Join(c.dir, "notify.sh"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.inProcess()
	d, err := (&app{config: c.path}).open()
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	var body string
	select {
	case body = <-posts:
	case <-time.After(patience):
		t.Error("nothing was posted")
	}
	for _, server := range []string{"leaky", "refuses", "socket", "web", "nobody"} {
		until(t, d, server, func(r *model.Row) bool { return !r.LastFailure.IsZero() })
	}
	// A failed exec is told, and stands in the header.
	fleet := untilFleet(t, d, func(f model.Fleet) bool { return strings.Contains(fmt.Sprint(f.Warnings), "exit status 3") })
	events, err := json.Marshal(d.engine.Events("", 0, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	c.none("the webhook", body)
	c.has("the webhook", body, `"event":"halted"`, "/nowhere/‹CANARY_TOKEN› not found")
	c.none("the header", fmt.Sprint(fleet.Warnings))
	c.none("the events", string(events))
	for name, marks := range map[string][]string{"failures.log": {"‹ENV›", "‹url.key›", "‹CANARY_TOKEN›"}, "exec.out": {"‹CANARY_TOKEN›"}, "stderr/leaky.log": {"‹ENV›", "‹FILE›", "‹LISTED›"}} {
		b, err := os.ReadFile(filepath.Join(c.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		c.none(name, string(b))
		c.has(name, string(b), marks...)
	}
	for _, args := range [][]string{{"failures"}, {"failures", "--json"}, {"alert", "--test"}, {"check"}} {
		var out, errs shared
		(&app{in: strings.NewReader(""), out: &out, err: &errs}).run(append(args, "-c", c.path))
		c.none("rollcall "+args[0], out.String()+errs.String())
		if out.Len() == 0 {
			t.Errorf("%s says nothing; %s", args, errs.String())
		}
	}
}

// TestA4_AFolderThatIsNoneStopsNobody: the header says so, the servers run.
func TestA4_AFolderThatIsNoneStopsNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "logs"), "in the way")
	d, _ := openDeck(t, fmt.Sprintf(`
[servers.a]
command = "${ROLLCALL_EXE}"
args = ["demo", "healthy"]
[servers.b]
command = "there-is-no-such-command"
[alerts]
webhook = "http://example.com/x"
[log]
dir = %q
`, filepath.Join(dir, "logs")))
	until(t, d, "a", in(model.Settling))
	untilFleet(t, d, func(f model.Fleet) bool {
		all := fmt.Sprint(f.Warnings)
		return strings.Contains(all, "failures.log cannot be written, 1 line is missing") && strings.Contains(all, "line 8: alerts.webhook: http to another host")
	})
}

// TestX2_AHungWebhookHoldsUpNoStop, and what it did not take is said.
func TestX2_AHungWebhookHoldsUpNoStop(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hook.Close)
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, "[servers.a]\ncommand = \"there-is-no-such-command\"\nstop_grace = \"1s\"\n[alerts]\nwebhook = \""+hook.URL+"\"\n")
	var errs shared
	d, err := (&app{config: path, err: &errs}).open()
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	<-asked
	began := time.Now()
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took < 2300*time.Millisecond || took > 8*time.Second { // X2: what is on the wire has the grace and a half more, and not its 10 s
		t.Errorf("the stop took %s", took)
	}
	if !strings.Contains(errs.String(), "1 alert not sent yet to webhook (json, 127.0.0.1:") || !strings.Contains(errs.String(), "): tried again at the next start") {
		t.Errorf("said %q", errs.String())
	}
}

// TestR2_ASecretOfBeforeIsTakenOutOfWhatExecSays: a launch lives on with it, and
// so does what it has written.
func TestR2_ASecretOfBeforeIsTakenOutOfWhatExecSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "servers.toml")
	text := "[servers.a]\ncommand = \"true\"\nenv = { TOKEN = \"caNAry-old\" }\n[alerts]\nexec = [\"sh\", \"-c\", \"echo caNAry-old caNAry-new >&2; exit 3\"]\n"
	write(t, path, text)
	file, err := config.Load(path, processEnv())
	if err != nil {
		t.Fatal(err)
	}
	known := newKnown(file.Entries)
	sinks := sinksOf(file.Alerts, known) // as rollcall starts
	write(t, path, strings.Replace(text, "old", "new", 1))
	spec, refusal := reader(config.NewEntries(path, processEnv()), known)("a")
	if spec == nil {
		t.Fatal(refusal)
	}
	r := sinks[0].Send(t.Context(), alert.Test(redact.Word("edge-7"), time.Now()))
	if got := r.Err.String(); got != "exit status 3: ‹TOKEN› ‹TOKEN›" {
		t.Errorf("%q", got)
	}
}

// TestAlertTestSaysWhatIsWrong in [alerts], and what a receiver asks for.
func TestAlertTestSaysWhatIsWrong(t *testing.T) {
	code := http.StatusOK
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(code)
	}))
	t.Cleanup(hook.Close)
	path := filepath.Join(t.TempDir(), "servers.toml")
	try := func(format, want, wantErr string, wantCode int) {
		write(t, path, "[alerts]\nwebhook = \""+hook.URL+"\"\nformat = \""+format+"\"\n")
		var out, errs shared
		got := (&app{in: strings.NewReader(""), out: &out, err: &errs}).run([]string{"alert", "--test", "-c", path})
		if got != wantCode || !strings.Contains(out.String(), want) || !strings.Contains(errs.String(), wantErr) || wantErr == "" && errs.Len() > 0 {
			t.Errorf("%s: exit %d, %q, %q", format, got, out.String(), errs.String())
		}
	}
	try("slack", "HTTP 200 in ", "", exitOK)
	try("Slack", "HTTP 200 in ", "alert: 1 error in [alerts]", exitFailure)
	code = http.StatusTooManyRequests
	try("slack", "failed: HTTP 429, after ", "1 of 1 did not take the test", exitFailure)
	try("slack", "; it asks for no other try within 30 s", "did not take", exitFailure)
}

// TestX2_StderrThatCannotBeKeptHoldsUpNoStop, and is said.
func TestX2_StderrThatCannotBeKeptHoldsUpNoStop(t *testing.T) {
	now, cancel := context.WithCancel(t.Context())
	cancel()
	o := &outlets{followed: make(chan struct{})} // and the disk hangs
	if left := o.close(now, now); len(left) != 1 || left[0] != "what servers said last may not be in stderr/: writing it does not end" {
		t.Errorf("left %q", left)
	}
}
