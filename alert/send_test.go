package alert

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// hook is a real HTTP server that does, request by request, what it is told.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	times  []time.Time
}

// newHook answers the nth request with does(n); n is from 0.
func newHook(t *testing.T, does func(n int, w http.ResponseWriter, r *http.Request)) *hook {
	h := &hook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		n := len(h.bodies)
		h.bodies, h.times = append(h.bodies, string(b)), append(h.times, time.Now())
		h.mu.Unlock()
		does(n, w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) got() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bodies
}

const secretPath = "/services/T0000/caNAry-path-1?token=caNAry-query-2"

func (h *hook) webhook(format string) *Webhook { return webhookAt(h.URL+secretPath, format) }

func webhookAt(url, format string) *Webhook {
	return NewWebhook(redact.NewSecret(url), format, redact.New([]redact.Source{{Name: "alerts.webhook", Value: redact.NewSecret(secretPath)}}))
}

// said is what a queue tells and warns of.
type saidBy struct {
	mu           sync.Mutex
	told, warned []string
}

func (s *saidBy) tell(t redact.Safe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, t.String())
}

func (s *saidBy) warn(t redact.Safe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warned = append(s.warned, t.String())
}

// warnings are what was warned of so far.
func (s *saidBy) warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warned)
}

// hasty is a queue without much patience.
func hasty(s Sink, to *saidBy) *queue {
	q := newQueue(s, to.tell, to.warn, func(Post) {})
	q.wait = patience{try: time.Minute, pauses: [2]time.Duration{time.Millisecond, 2 * time.Millisecond}, most: 300 * time.Millisecond}
	return q
}

// send sends posts, and waits until that is over.
func send(t *testing.T, q *queue, posts ...Post) {
	t.Helper()
	for _, p := range posts {
		q.put(p)
	}
	close(q.posts)
	q.run(t.Context(), t.Context())
}

func opening(server string) Post {
	return postOf(notice{Server: server, Kind: model.EvDown, Attempt: model.Some(5), Error: redact.Word("no <answer> @here")}, redact.Word("edge-7"), time.Now())
}

func closing(server string) Post {
	return postOf(notice{Server: server, Kind: model.EvRecovered, Elapsed: model.Some(model.Millis(time.Minute))}, redact.Word("edge-7"), time.Now())
}

func TestA5_EachFormat(t *testing.T) {
	p := Post{At: time.Unix(0, 0), Event: "down", Server: "web", Count: 1, Text: (*redact.Redactor)(nil).Text("*bold* <!channel> @everyone [x](http://x) `c` & more")}
	for format, want := range map[string]string{
		JSON:       `{"at":"1970-01-01T00:00:00.000Z","event":"down","server":"web","count":1,"text":"*bold* \u003c!channel\u003e @everyone [x](http://x) ` + "`c`" + ` \u0026 more"}`,
		Slack:      `{"link_names":false,"mrkdwn":false,"text":"*bold* \u0026lt;!channel\u0026gt; @` + "\u200b" + `everyone [x](http://x) ` + "`c`" + ` \u0026amp; more","unfurl_links":false}`,
		Discord:    `{"allowed_mentions":{"parse":[]},"content":"\\*bold\\* \\\u003c!channel\\\u003e @` + "\u200b" + `everyone \\[x\\]\\(http\\://x\\) \\` + "`c\\\\`" + ` \u0026 more"}`,
		Connectome: `{"content":"*bold* \u003c!channel\u003e @` + "\u200b" + `everyone [x](http://x) ` + "`c`" + ` \u0026 more"}`,
	} {
		h := newHook(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost {
				t.Errorf("%s %v", r.Method, r.Header)
			}
			w.WriteHeader(http.StatusNoContent)
		})
		r := h.webhook(format).Send(t.Context(), p)
		if got := h.got(); len(got) != 1 || got[0] != want || !r.Err.IsZero() || r.Said.String() != "HTTP 204" {
			t.Errorf("%s: %+v, posted\n%s\nwant\n%s", format, r, got, want)
		}
	}
}

func TestA5_AWebhookThatMisbehaves(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	die := func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "caNAry-path-1 is what I got", code)
		}
	}
	ok := status(200)
	type does = func(http.ResponseWriter, *http.Request)
	for name, c := range map[string]struct {
		does   []does
		tells  string // in the event log; "": it was taken
		warned int
	}{
		"takes it":           {[]does{ok}, "", 0},
		"fails twice":        {[]does{status(500), status(503), ok}, "", 0},
		"hangs, dies, takes": {[]does{hang, die, ok}, "", 0},
		"hangs":              {[]does{hang, hang, hang}, "no answer in time", 1},
		"dies":               {[]does{die, die, die}, "connection reset by peer", 1},
		"refuses":            {[]does{status(403), status(403), status(403)}, "HTTP 403", 1},
		"redirects": {[]does{3: nil, 0: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, 1: status(302), 2: status(308)},
			"HTTP 308: redirected, and not followed", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHook(t, func(n int, w http.ResponseWriter, r *http.Request) { c.does[n](w, r) })
			to := &saidBy{}
			q := hasty(h.webhook(JSON), to)
			if strings.HasPrefix(name, "hangs") {
				q.wait.try = time.Second
			}
			send(t, q, opening("web"))
			tries := 0
			for _, d := range c.does {
				if d != nil {
					tries++
				}
			}
			if n := len(h.got()); n != tries {
				t.Errorf("%d tries, want %d", n, tries)
			}
			all := strings.Join(append(to.told, to.warned...), "\n")
			if (c.tells == "") != (len(to.told) == 0) || !strings.Contains(all, c.tells) || len(to.warned) != c.warned {
				t.Errorf("told %q, warned %q", to.told, to.warned)
			}
			if strings.Contains(all, "caNAry") || strings.Contains(all, "T0000") {
				t.Errorf("the address is shown: %s", all)
			}
		})
	}
}

func TestA5_ARefusedConnectionIsSaidWithoutTheAddress(t *testing.T) {
	h := newHook(t, func(int, http.ResponseWriter, *http.Request) {})
	w := h.webhook(JSON)
	h.Close()
	r := w.Send(t.Context(), opening("web"))
	if s := r.Err.String(); !strings.Contains(s, "connection refused") || strings.Contains(s, "caNAry") || strings.Contains(w.Name().String(), "caNAry") {
		t.Errorf("%s, %s", s, w.Name())
	}
}

func TestA5_RetryAfterIsRespectedWithinABound(t *testing.T) {
	h := newHook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", []string{"0.1", "3600", ""}[n])
		w.WriteHeader([]int{429, 429, 200}[n])
	})
	to := &saidBy{}
	send(t, hasty(h.webhook(JSON), to), opening("web"))
	if len(h.times) != 3 || len(to.told) > 0 {
		t.Fatalf("%d tries, told %q", len(h.times), to.told)
	}
	if first, second := h.times[1].Sub(h.times[0]), h.times[2].Sub(h.times[1]); first < 100*time.Millisecond || second < 300*time.Millisecond || second > time.Minute {
		t.Errorf("tried again after %s and %s", first, second)
	}
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "1.5": 1500 * time.Millisecond, "-1": 0, "NaN": 0, "1e300": 0, "soon": 0,
		"Mon, 30 Nov 2026 08:00:30 GMT": 30 * time.Second, "Mon, 30 Nov 2026 07:00:00 GMT": 0} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	if got := ordinaryPatience().between(1, time.Hour); got != time.Minute {
		t.Errorf("waits %s", got)
	}
}

func TestA5_ARecoveryIsSentWhereItsOpeningWas(t *testing.T) {
	h := newHook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n < 3 { // all tries of the first
			w.WriteHeader(500)
		}
	})
	to := &saidBy{}
	many := postOfMany([]notice{{Server: "a", Kind: model.EvRecovered}, {Server: "b", Kind: model.EvRecovered}, {Server: "c", Kind: model.EvRecovered}}, redact.Word("edge-7"), time.Now())
	send(t, hasty(h.webhook(JSON), to), opening("a"), closing("a"), opening("b"), opening("a"), closing("b"), opening("c"), many)
	var got []string
	for _, b := range h.got()[3:] {
		var p struct {
			Event, Server string
			Count         int
		}
		if err := json.Unmarshal([]byte(b), &p); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(p.Event, " ", p.Server, p.Count))
	}
	if want := "down b1, down a1, recovered b1, down c1, recovered 2"; strings.Join(got, ", ") != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	if len(to.told) != 1 || len(to.warned) != 2 || to.warned[1] != "" {
		t.Errorf("told %q, warned %q", to.told, to.warned)
	}
}

func TestA5_AFullQueueBlocksNobody(t *testing.T) {
	to := &saidBy{}
	q := hasty(webhookAt("http://127.0.0.1:1/", JSON), to) // it does not run
	for range queueLimit + 5 {
		q.put(opening("web"))
	}
	if len(to.told) != 5 || !strings.Contains(to.told[0], "100 wait for it already") {
		t.Errorf("told %q", to.told)
	}
	if _, ok := q.due(closing("web")); ok {
		t.Error("a recovery is sent whose opening was dropped")
	}
}

func plain(s string) redact.Safe { return (*redact.Redactor)(nil).Text(s) }

// script writes a program.
func script(t *testing.T, text string) []redact.Secret {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return []redact.Secret{redact.NewSecret(path), redact.NewSecret("caNAry-argument-3")}
}

func TestExecGetsThePostOnItsStdin(t *testing.T) {
	dir := t.TempDir()
	red := redact.New([]redact.Source{{Name: "args", Value: redact.NewSecret("caNAry-argument-3")}})
	e := NewExec(script(t, "cat > got; echo \"$1$MARK\" > argument"), dir, append(os.Environ(), "MARK=, marked"), red.Text)
	p := opening("web")
	if r := e.Send(t.Context(), p); !r.Err.IsZero() {
		t.Fatal(r.Err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "got"))
	want, err2 := json.Marshal(p)
	if err != nil || err2 != nil || string(got) != string(want)+"\n" {
		t.Errorf("got %s, want %s; %v", got, want, err)
	}
	if arg, err := os.ReadFile(filepath.Join(dir, "argument")); err != nil || string(arg) != "caNAry-argument-3, marked\n" {
		t.Errorf("its argument and environment: %q, %v", arg, err)
	}
	e = NewExec(script(t, "echo 'first' >&2; echo \"no route for $1\" >&2; exit 3"), dir, nil, red.Text)
	if r := e.Send(t.Context(), p); r.Err.String() != "exit status 3: no route for ‹args›" {
		t.Errorf("%q", r.Err)
	}
	e = NewExec([]redact.Secret{redact.NewSecret("there-is-no-such-program")}, dir, nil, red.Text)
	if r := e.Send(t.Context(), p); !strings.Contains(r.Err.String(), "not found") {
		t.Errorf("%q", r.Err)
	}
}

// overdue is a context whose end is that of its time, whoever ends it.
type overdue struct{ context.Context }

func (o overdue) Err() error {
	if o.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

func TestExecIsKilledWithItsGroup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := NewExec(script(t, "sleep 600 & echo $! > child; echo $$ > self; wait"), dir, nil, plain)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sent := make(chan Result, 1)
	go func() { sent <- e.Send(overdue{ctx}, opening("web")) }()
	for end := time.Now().Add(time.Minute); ; <-time.After(5 * time.Millisecond) { // it has begun
		if _, err := os.Stat(filepath.Join(dir, "self")); err == nil || time.Now().After(end) {
			break
		}
	}
	cancel()
	if r := <-sent; !strings.Contains(r.Err.String(), "took too long, and was killed") {
		t.Errorf("%q", r.Err)
	}
	goes(t, filepath.Join(dir, "child"))
}

// TestExecLeavesNothingOfItsGroupBehind: what it starts and does not wait for has
// a short while.
func TestExecLeavesNothingOfItsGroupBehind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e := NewExec(script(t, "sleep 600 2>/dev/null & echo $! > child; (sleep 0.1; echo done > late) 2>/dev/null &"), dir, nil, plain)
	if r := e.Send(t.Context(), opening("web")); !r.Err.IsZero() || r.Took < groupGrace || r.Took > groupGrace+time.Minute {
		t.Errorf("%q after %s", r.Err, r.Took)
	}
	goes(t, filepath.Join(dir, "child"))
	if _, err := os.Stat(filepath.Join(dir, "late")); err != nil {
		t.Errorf("what takes a moment is not let finish: %v", err)
	}
}

// TestR2_ALineThatIsCutIsNotRepeated: the rest of a secret would not be known.
func TestR2_ALineThatIsCutIsNotRepeated(t *testing.T) {
	e := &ending{limit: 10}
	for _, s := range []string{"first\nse", "cond\n"} {
		_, _ = e.Write([]byte(s))
	}
	if got := e.last(); got != "second" {
		t.Errorf("%q", got)
	}
	_, _ = e.Write([]byte("0123456789a\n"))
	if got := e.last(); got != "" {
		t.Errorf("%q", got)
	}
	_, _ = e.Write([]byte("more\r\n"))
	if got := e.last(); got != "more" {
		t.Errorf("%q", got)
	}
}

// goes waits until the process is gone that a file names.
func goes(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	var pid int
	if _, err2 := fmt.Sscan(string(b), &pid); err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil && !zombie(pid); {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// zombie reports whether a process has ended, and nobody has reaped it.
func zombie(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Contains(string(b), ") Z ")
}
