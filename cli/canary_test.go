package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rollcall/config"
	"rollcall/metrics"
	"rollcall/model"
)

// canary is one configuration with a secret in every place that can hold one,
// and servers that let them out in every way. Nothing that leaves rollcall may
// hold one of them, in whatever form (R2).
type canary struct {
	t       *testing.T
	path    string
	dir     string   // of the file, and of the state
	env     []string // what rollcall needs in its environment
	secrets map[string]string
	forms   map[string]string // each form of each secret, and the secret's name
}

// newCanary writes the configuration. Its servers are this canary's own.
func newCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{t: t, dir: t.TempDir(), forms: map[string]string{}, secrets: map[string]string{
		"env":      `caNAry/env+1"q é`,
		"env_file": "caNAry-envfile-2&=#",
		"variable": "caNAry$variable+3",
		"argument": "caNAry:argument/4",
		"equals":   "caNAry-equals-argument-5",
		"header":   "caNAry-header-six",
		"bearer":   "caNAry.bearer.7~8",
		"query":    "caNAry query/nine",
		"password": "caNAry@password:10",
		"listed":   "caNAry listed eleven",
	}}
	for name, v := range c.secrets {
		for _, form := range writtenForms(v) {
			c.forms[form] = name
		}
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		http.Error(w, fmt.Sprintf("no %s with %v", req.URL, req.Header), http.StatusInternalServerError)
	}))
	t.Cleanup(web.Close)
	s := c.secrets
	toml := func(v string) string { return strconv.Quote(strings.ReplaceAll(v, "$", "$$")) }
	user := url.UserPassword("operator", s["password"]).String()
	const leak = `"--beat", "0", "--leak", "ENV,FILE,FROM,LISTED", `
	text := strings.NewReplacer("ENV_VALUE", toml(s["env"]), "LISTED_VALUE", toml(s["listed"]), "ARGUMENT", toml(s["argument"]),
		"EQUALS", toml("--api-key="+s["equals"]), "HEADER", toml(s["header"]), "USERINFO", user, "QUERY", url.QueryEscape(s["query"]),
		"SOCKET", freeAddress(t), "WEB", web.URL, "LEAK", leak).Replace(`
[servers.leaky]
command = "${ROLLCALL_EXE}"
args = ["demo", "healthy", LEAK "--api-key", ARGUMENT, "--ping-error", "-32603"]
env = { ENV = ENV_VALUE, FROM = "${CANARY_VARIABLE}", LISTED = LISTED_VALUE }
env_file = "canary.env"
secrets = { LISTED = LISTED_VALUE }
probe_interval = "100ms"

[servers.refuses]
command = "${ROLLCALL_EXE}"
args = ["demo", "error", LEAK EQUALS]
env = { ENV = ENV_VALUE, LISTED = LISTED_VALUE }

[servers.socket]
command = "${ROLLCALL_EXE}"
args = ["demo", "ws", "--listen", "SOCKET", LEAK "--life", "300ms"]
env = { ENV = ENV_VALUE }
url = "ws://USERINFO@SOCKET/mcp?key=QUERY"
headers = { X-Canary = HEADER }
stop_grace = "200ms"
reconnect_interval = "50ms"

[servers.web]
url = "WEB/mcp?key=QUERY"
headers = { Authorization = "Bearer ${CANARY_BEARER}", X-Canary = HEADER }

[servers.nobody]
url = "http://USERINFO@127.0.0.1:1/mcp?key=QUERY"
headers = { Authorization = "Bearer ${CANARY_BEARER}" }
start_timeout = "2s"
`)
	write(t, filepath.Join(c.dir, "canary.env"), "FILE='"+s["env_file"]+"'\n")
	c.path = filepath.Join(c.dir, "servers.toml")
	write(t, c.path, text)
	c.env = []string{"CANARY_VARIABLE=" + s["variable"], "CANARY_BEARER=" + s["bearer"], "XDG_STATE_HOME=" + c.dir}
	return c
}

// shared is a buffer that goroutines share, as they do a file.
type shared struct {
	mu sync.Mutex
	bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Buffer.Write(p)
}

// inProcess makes this process's environment the canary's.
func (c *canary) inProcess() {
	for _, v := range c.env {
		name, value, _ := strings.Cut(v, "=")
		c.t.Setenv(name, value)
	}
}

// writtenForms are the ways in which programs write a value.
func writtenForms(v string) []string {
	quoted, _ := json.Marshal(v) // a string always encodes
	ascii := strconv.QuoteToASCII(v)
	fs := []string{v, url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]), ascii[1 : len(ascii)-1],
		hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v)))}
	for _, f := range fs[1:3] {
		fs = append(fs, regexp.MustCompile("%[0-9A-F]{2}").ReplaceAllStringFunc(f, strings.ToLower))
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 { // the characters that depend on v alone
			fs = append(fs, alphabet.EncodeToString(append(make([]byte, before), v...))[(8*before+5)/6:8*(before+len(v))/6])
		}
	}
	return fs
}

// none checks that what left at an exit holds no form of a secret.
func (c *canary) none(exit, text string) {
	c.t.Helper()
	bare := strings.ReplaceAll(text, "\n", "")
	for form, name := range c.forms {
		for _, s := range []string{text, bare} { // lines that a screen has wrapped too
			if i := strings.Index(s, form); i >= 0 {
				c.t.Errorf("%s shows the secret %q as %q: …%s…", exit, name, form, s[max(0, i-120):min(len(s), i+len(form)+40)])
				break
			}
		}
	}
}

// has checks that an exit was looked at at all: it shows names of secrets.
func (c *canary) has(exit, text string, wanted ...string) {
	c.t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			c.t.Errorf("%s: no %s in:\n%.2000s", exit, w, text)
		}
	}
}

// everyEnd reports, line by line, whether each server has failed and each has
// said what it says. The socket closes and exits: which is seen first is open, so
// it tries again until its reason was told.
func everyEnd() func(line string) bool {
	missing := map[string]bool{"probe leaky": true, "attempt-failed leaky": true, "attempt-failed refuses": true,
		"attempt-failed socket": true, "attempt-failed web": true, "attempt-failed nobody": true}
	reason := false
	return func(line string) bool {
		event, server := eventIn(line)
		delete(missing, event+" "+server)
		reason = reason || strings.Contains(line, "close code 1011")
		return reason && len(missing) == 0
	}
}

func TestR2_ServeShowsNoSecret(t *testing.T) {
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		c := newCanary(t)
		out := c.serve("--json")
		c.none("serve --json", out)
		c.has("serve --json", out, "‹ENV›", "‹FILE›", "‹FROM›", "‹LISTED›", "‹--api-key›", "‹X-Canary›", "‹url.key›", "‹url.password›",
			`"event":"noise"`, "more bytes", "close code 1011")
	})
	t.Run("text", func(t *testing.T) {
		t.Parallel()
		c := newCanary(t)
		out := c.serve()
		c.none("serve", out)
		c.has("serve", out, "‹ENV›", "‹FILE›", "‹url.key›", "HTTP 500")
	})
}

// serve runs serve --logs until every server has failed, and returns what it
// printed. Its own argv, the guardian's and its state are looked at meanwhile.
func (c *canary) serve(flags ...string) string {
	c.t.Helper()
	cmd := rollcallCommand(c.t, append([]string{"serve", "--logs", "-c", c.path}, flags...)...)
	cmd.Env = append(cmd.Env, c.env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	var all bytes.Buffer
	done, asked := everyEnd(), false
	for line := range linesOf(out) {
		all.WriteString(line + "\n")
		if !asked && done(line) {
			asked = true
			c.none("the argv of serve", argv(cmd.Process.Pid))
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				c.t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		c.t.Errorf("serve: %v; %s", err, errs.String())
	}
	c.none("the stderr of serve", errs.String())
	return all.String()
}

// eventIn reads the event and the server of a line, JSON or text.
func eventIn(line string) (event, server string) {
	var ev jsonEvent
	if json.Unmarshal([]byte(line), &ev) == nil {
		return ev.Event, ev.Server
	}
	f := strings.Fields(line)
	if len(f) < 3 {
		return "", ""
	}
	text := strings.Join(f[2:], " ")
	switch {
	case strings.HasPrefix(text, "initial connect failed"), strings.HasPrefix(text, "reconnect failed"):
		return "attempt-failed", f[1]
	case strings.HasPrefix(text, "probe"):
		return "probe", f[1]
	}
	return "", f[1]
}

func argv(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // empty where there is no /proc
	return string(b)
}

func TestR2_TheEngineHandsOutNoSecret(t *testing.T) {
	c := newCanary(t)
	c.inProcess()
	counts := metrics.NewCounts()
	d, err := (&app{config: c.path}).open(counts.Observe)
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	for _, server := range []string{"leaky", "refuses", "socket", "web", "nobody"} {
		until(t, d, server, func(r *model.Row) bool { return !r.LastFailure.IsZero() })
	}
	d.engine.Do(model.Order{ID: "1", Verb: model.Disconnect, Server: "web", By: operator()})
	until(t, d, "web", in(model.Off))
	fleet, err := d.engine.Next(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	file, err := config.Load(c.path, processEnv())
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, v := range []any{fleet, d.engine.Events("", 0, 1<<20), d.engine.Lines("leaky", 0, 1<<20), d.engine.Lines("socket", 0, 1<<20),
		fmt.Sprintf("%+v %#v", file, file.Entries[0].Spec)} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
		fmt.Fprintf(&all, "\n%+v\n", v)
	}
	c.none("the engine", all.String())
	c.none("the metrics", scrape(t, d, counts, `rollcall_server_attempt_failures_total{server="leaky"} 1`))
	c.has("the engine", all.String(), "‹ENV›", "--api-key ‹--api-key›", "demo-healthy", "‹url.key›")

	values := ""
	for _, v := range c.secrets {
		values += "key " + v + "\n"
	}
	broke := d.broke(crash{values, "main.f(" + values + ")"}).Error()
	c.none("a panic's text", broke)
	c.has("a panic's text", broke, "the engine broke", "‹ENV›")
	d.engine.Stop()
	<-d.ended
	c.noneInFiles()
}

// noneInFiles looks at what rollcall wrote: its state, panes.
func (c *canary) noneInFiles() {
	c.t.Helper()
	written := 0
	err := filepath.WalkDir(c.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == c.path || filepath.Base(path) == "canary.env" {
			return err
		}
		b, err := os.ReadFile(path)
		c.none(path, string(b))
		written++
		return err
	})
	if err != nil || written == 0 {
		c.t.Errorf("%d files were written, %v; want the state file at least", written, err)
	}
}

func TestR2_TheDashboardShowsNoSecret(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	cmd := rollcallCommand(t, "-c", c.path)
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Dir = c.dir
	x := onTerminal(t, cmd, 200, 50)
	x.Shows("waiting")
	x.Types("/leaky\r")
	x.Shows("‹ENV›")
	for i, wanted := range []string{"probe answered with an error", "initial connect failed", "treated as secret", "probe"} {
		x.Types(strconv.Itoa(i+1) + "z")
		screen := x.Shows(wanted)
		c.none("view "+strconv.Itoa(i+1), screen)
		x.Types("gyGyW") // copy the first and the last line, write all to a file
		x.Shows("wrote ")
		x.Types("z")
	}
	raw := string(x.Raw())
	c.none("what the terminal was sent", raw)
	copied := regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]+)`).FindAllStringSubmatch(raw, -1)
	for _, m := range copied {
		text, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Error(err)
		}
		c.none("what y copies", string(text))
	}
	if len(copied) < 4 {
		t.Errorf("%d lines were copied", len(copied))
	}
	x.Types("qy")
	if code := x.Exit(); code != 0 {
		t.Errorf("exit %d:\n%s", code, x.Text())
	}
	c.none("the end", x.Text())
	c.noneInFiles()
}

func TestR2_CheckAndProbeShowNoSecret(t *testing.T) {
	c := newCanary(t)
	c.inProcess()
	good, err := os.ReadFile(c.path)
	if err != nil {
		t.Fatal(err)
	}
	// Problems in the lines that hold secrets, so that these are excerpts.
	bad := strings.NewReplacer("env = {", "enf = {", "headers = {", "headerz = {", `"--ping-error", "-32603"]`, `17]`, "?key=", "?key=${NOBODY}").Replace(string(good))
	write(t, filepath.Join(c.dir, "bad.toml"), bad)
	write(t, filepath.Join(c.dir, "broken.toml"), string(good)+"\n[servers.x]\nenv = { KEY = \""+c.secrets["query"]+"\n")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	target := "http://" + url.UserPassword("operator", c.secrets["password"]).String() + "@127.0.0.1:1/mcp?key=" + url.QueryEscape(c.secrets["query"])
	for _, args := range [][]string{
		{"check", "-c", c.path}, {"check", "--json", "-c", c.path},
		{"check", "-c", filepath.Join(c.dir, "bad.toml")}, {"check", "--json", "-c", filepath.Join(c.dir, "bad.toml")},
		{"check", "-c", filepath.Join(c.dir, "broken.toml")}, {"serve", "-c", filepath.Join(c.dir, "broken.toml")},
		{"probe", "--", exe, "demo", "healthy", "--api-key", c.secrets["argument"]},
		{"probe", "--", exe, "demo", "error", "--api-key=" + c.secrets["argument"]},
		{"probe", "--", exe, "demo", "healthy", "--api-key", c.secrets["argument"], "--ping-error", "-32603"},
		{"probe", target},
	} {
		var out, errs shared
		(&app{in: strings.NewReader(""), out: &out, err: &errs}).run(args)
		c.none("rollcall "+args[0], out.String()+errs.String())
		if out.Len()+errs.Len() == 0 {
			t.Errorf("%s says nothing", args)
		}
	}
}
