package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// TestR2_NoAlertHoldsASecret lets the canary's servers fail with everything of
// [alerts] and [log] on: what is posted, handed to exec and written holds none.
func TestR2_NoAlertHoldsASecret(t *testing.T) {
	c := newCanary(t)
	const hookPath = "/services/T0001/caNAry-webhook-12"
	const token = "caNAry-token-13"
	for _, form := range append(writtenForms(token), "caNAry-webhook-12") {
		c.forms[form] = "token or webhook"
	}
	t.Setenv("CANARY_TOKEN", token)
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
	write(t, filepath.Join(c.dir, "notify.sh"), "#!/bin/sh\ncat >> exec.out\necho \"no route for $2\" >&2\nexit 3\n")
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
	case <-time.After(20 * time.Second):
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
		return strings.Contains(all, "failures.log cannot be written, 1 lines are lost") && strings.Contains(all, "line 8: alerts.webhook: http to another host")
	})
}

// TestX2_AHungWebhookHoldsUpNoStop, and what it did not take is said.
func TestX2_AHungWebhookHoldsUpNoStop(t *testing.T) {
	asked := make(chan struct{}, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hook.Close)
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, "[servers.a]\ncommand = \"there-is-no-such-command\"\n[alerts]\nwebhook = \""+hook.URL+"\"\n")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
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
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the stop took %s", took)
	}
	if !strings.Contains(errs.String(), "1 alert not sent yet: tried again at the next start") {
		t.Errorf("said %q", errs.String())
	}
}
