package transport

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rollcall/model"
)

// TestEveryWayTheEndThatWasSeenIsTold has servers that die at a ping, or while
// their tools are listed, in each manner that people meet.
func TestEveryWayTheEndThatWasSeenIsTold(t *testing.T) {
	h := newHost(t)
	for _, c := range []struct {
		name       string
		flags      []string
		stdio, web string // what is said of the end; a server that was only dialled has no exit
	}{
		{"code 1", []string{"--ping", "exit", "--exit", "1"}, "(exit code 1)", "(close code 1011)"},
		{"code 0", []string{"--ping", "exit"}, "(exit code 0)", "(close code 1011)"},
		{"a signal", []string{"--ping", "exit", "--signal", "15"}, "(signal: terminated)", "(the connection was cut"},
		{"while tools are listed", []string{"--list", "exit", "--exit", "3"}, "(exit code 3)", "(close code 1011)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
				s := spec(c.flags...)
				w := start(t, h, s)
				dialled := s.Launch == nil && s.Transport == model.HTTP // nothing but a probe sees an end
				switch {
				case c.flags[0] == "--ping":
					w.dies()
				case dialled:
					await[model.Handshaken](w)
					probeUntil(t, w, model.Broken)
				}
				if dialled {
					return
				}
				end := await[model.Closed](w).End
				want := c.web
				if s.Transport == model.Stdio {
					want = c.stdio
				}
				if how := end.How().String(); !strings.HasPrefix(how, want) && how != c.stdio {
					t.Errorf("closed: %s, want %s", how, want)
				}
				if told[model.Connected](w) && c.name == "while tools are listed" {
					t.Error("connected nevertheless")
				}
			})
		})
	}
}

func TestASlowStartIsGivenItsTime(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		s := spec()
		if s.Launch == nil {
			return // it was started beforehand
		}
		s.Launch.Args = append(s.Launch.Args, commandSpec("", "--startup", "500ms").Launch.Args...)
		w := start(t, h, s, func(d *model.Dial) { d.Legacy = true })
		if took := await[model.Handshaken](w).At.Sub(w.started); took < 500*time.Millisecond {
			t.Errorf("handshake after %v", took)
		}
	})
}

func TestP1_EveryWayAPingThatIsNeverAnsweredTimesOut(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		w := start(t, h, spec("--ping-delay", "1h"))
		await[model.Connected](w)
		for range 2 {
			if p := probe(w, 100*time.Millisecond); p.Outcome != model.TimedOut {
				t.Errorf("probe: %+v", p)
			}
		}
		if told[model.Closed](w) {
			t.Errorf("a time-out closed the connection: that is the step's business\n%s", w)
		}
	})
}

// TestT1_WhateverIsOnStderrTheServerIsHeard: none of it blocks the server, or
// means that it is unhealthy.
func TestT1_WhateverIsOnStderrTheServerIsHeard(t *testing.T) {
	h := newHost(t)
	for name, flags := range map[string][]string{
		"256 KiB before the first answer": {"--flood", strconv.Itoa(256 << 10)},
		"5 MB before the first answer":    {"--flood", "5000000"},
		"100 MB a second":                 {"--stderr-rate", "100000000"},
		"a progress bar":                  {"--progress"},
	} {
		t.Run(name, func(t *testing.T) {
			everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
				w := start(t, h, spec(flags...), justOne)
				await[model.Connected](w)
				for range 3 {
					if p := probe(w, patience); p.Outcome != model.Alive {
						t.Errorf("probe: %+v", p)
					}
				}
			})
		})
	}
}

// justOne keeps a flood's lines from filling the test's memory.
func justOne(d *model.Dial) { d.Line = discardLine }

func TestT3_AProgressBarIsSplitAtItsCarriageReturns(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "progress"))
	await[model.Connected](w)
	w.until("line for each return", func() bool {
		full := func(l string) bool { return strings.Count(l, "loading") == 1 && strings.HasSuffix(l, "100%") }
		return slices.ContainsFunc(w.lines, full)
	})
}

func TestT2_WhateverElseIsOnStdoutTheServerIsHeard(t *testing.T) {
	h := newHost(t)
	for name, flags := range map[string][]string{
		"binary":           {"--binary"},
		"a line of 5 MB":   {"--junk", "5000000"},
		"20 MB a second":   {"--stdout-rate", "20000000"},
		"a banner and all": {"--noise"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, h, demoSpec(t, append([]string{"healthy"}, flags...)...), justOne)
			if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
				t.Errorf("tools: %+v", tools)
			}
			if p := probe(w, patience); p.Outcome != model.Alive {
				t.Errorf("probe: %+v", p)
			}
		})
	}
}

func TestR3_BinaryOnStdoutIsMadeSafe(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "binary"))
	l := w.line("ELF")
	if strings.ContainsAny(l, "\x00\x07\x1b\x7f") || strings.Contains(l, "title") {
		t.Errorf("shown as %q", l)
	}
}

func TestT2_ALineOf70MBThatIsNoMessageEndsTheConnectionToo(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), demoSpec(t, "healthy", "--junk", "70000000"))
	if end := await[model.Closed](w).End; end.Text.String() != tooLong().Text.String() {
		t.Errorf("closed: %+v", end)
	}
}

func TestT1_AZombiesParentStopsAtOnce(t *testing.T) {
	w := start(t, newHost(t), demoSpec(t, "zombie"))
	child := w.child()
	await[model.Connected](w)
	goneSoon(t, child) // it is a zombie now
	w.stopsAtOnce()
}

// TestT1_ADoubleForkGoesToo says what becomes of one that left its group, its
// session and its parent: it bears the launch's mark, so it is found and ended.
func TestT1_ADoubleForkGoesToo(t *testing.T) {
	t.Parallel()
	spec := demoSpec(t, "daemon")
	spec.Timings.StopGrace.D = 400 * time.Millisecond
	w := start(t, newHost(t), spec)
	child := w.child()
	await[model.Connected](w)
	if !alive(t, child) {
		t.Fatal("the child is not there")
	}
	w.stop()
	if alive(t, child) {
		t.Error("the child is still there")
	}
}

func TestACommandThatNeedsAPathItDoesNotHaveSaysSo(t *testing.T) {
	w := start(t, newHost(t), commandSpec("/usr/bin/env", "no-such-interpreter"))
	if end := await[model.Closed](w).End; end.ExitCode != model.Some(127) {
		t.Errorf("closed: %+v", end)
	}
	await[model.Reaped](w)
	w.line("no-such-interpreter")
}

func TestT7_RequestsBeforeAndAfterTheHandshakeAreAnswered(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, spec := range map[string]*model.Spec{
		"stdio":     demoSpec(t, "healthy", "--early", "--asks"),
		"websocket": launchedSpec(t, model.WebSocket, "ws", "--early", "--asks"),
		"http":      launchedSpec(t, model.HTTP, "http", "--early", "--stream", "answer"),
	} {
		w := start(t, h, spec)
		await[model.Connected](w)
		times, methods := 2, []string{"roots/list: error -32601", "no/such: error -32601", "ping: {}"}
		if name == "http" { // after the handshake it has no stream to ask on
			times, methods = 1, methods[1:]
		}
		for _, method := range methods {
			w.until(name+": answers to "+method, func() bool {
				return strings.Count(strings.Join(w.lines, "\n"), "stderr: answer to "+method) == times
			})
		}
	}
}

func TestT4_EachCloseCodeIsReported(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for code, how := range map[int]string{
		1000: "(close code 1000: enough)", 1001: "(close code 1001: enough)", 1008: "(close code 1008: enough)",
		1011: "(close code 1011: enough)", 4001: "(close code 4001: enough)", 0: "(the connection was cut",
	} {
		l := listen(t, "ws", "--ping", "exit", "--close-code", strconv.Itoa(code), "--reason", "enough")
		w := start(t, h, urlSpec(model.WebSocket, l.url))
		w.dies()
		end := await[model.Closed](w).End
		if !strings.HasPrefix(end.How().String(), how) || end.AsAsked() != (code == 1000 || code == 1001) {
			t.Errorf("%d: %s, as asked: %t", code, end.How(), end.AsAsked())
		}
	}
}

// TestHTTPStatusesAndPages: what an operator reads of each, and none of it of
// the page itself or the url's query.
func TestHTTPStatusesAndPages(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.waits.discover = patience // the endless page is an answer to that
	for _, c := range []struct {
		flags []string
		cause model.Cause
		text  string
		after time.Duration
	}{
		{[]string{"--status", "401"}, model.NeedsCredentials, "needs credentials: set headers in its entry, then c (HTTP 401)", 0},
		{[]string{"--status", "403"}, model.HTTPStatus, "HTTP 403 Forbidden", 0},
		{[]string{"--status", "404"}, model.HTTPStatus, "HTTP 404 Not Found", 0},
		{[]string{"--status", "429", "--retry-after", "120"}, model.HTTPStatus, "HTTP 429 Too Many Requests", 2 * time.Minute},
		{[]string{"--status", "500"}, model.HTTPStatus, "HTTP 500 Internal Server Error", 0},
		{[]string{"--status", "503"}, model.HTTPStatus, "HTTP 503 Service Unavailable", 0},
		{[]string{"--page", "login"}, model.TransportBroken, "the answer is text/html and no MCP: check the url, and whether a proxy asks for a login", 0},
		{[]string{"--page", "redirect"}, model.HTTPStatus, "HTTP 302, a redirect to http://", 0},
		{[]string{"--page", "endless"}, model.ClosedByHost, "a message of more than 64 MiB from the server", 0},
	} {
		l := listen(t, append([]string{"http"}, c.flags...)...)
		w := start(t, h, urlSpec(model.HTTP, l.url+"?token=sesame"))
		end := await[model.Closed](w).End
		if end.Cause != c.cause || !strings.HasPrefix(end.Text.String(), c.text) || end.RetryAfter != c.after {
			t.Errorf("%v: %v: %s", c.flags, end.Cause, end.Text)
		}
		if strings.Contains(end.Text.String(), "sesame") || strings.Contains(end.Text.String(), "Password") {
			t.Errorf("%v: %s tells too much", c.flags, end.Text)
		}
	}
}

// TestT5_AServerThatForgetsItsSessionsIsMissingThem: a session that ends, again
// and again, is told each time; the transport renews none. It ends with the
// second probe: initialized, tools/list and the first one are three requests.
func TestT5_AServerThatForgetsItsSessionsIsMissingThem(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for name, l := range map[string]*listener{
		"404":            listen(t, "http", "--forget", "3"),
		"400":            listen(t, "forgetful", "--forget", "3"),
		"401, a session": listen(t, "forgetful", "--forget", "3", "--unknown", "401"),
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				w := start(t, h, urlSpec(model.HTTP, l.url))
				await[model.Connected](w)
				for _, want := range []model.Outcome{model.Alive, model.Missing} {
					if p := probe(w, patience); p.Outcome != want {
						t.Fatalf("probe: %+v, want %v\n%s", p, want, w)
					}
				}
			}
		})
	}
}

// TestP3_A429OnAProbeSaysWhatItAsksFor: it costs nothing once, and the server's
// wish is in the text.
func TestP3_A429OnAProbeSaysWhatItAsksFor(t *testing.T) {
	t.Parallel()
	home, err := url.Parse(listen(t, "http").url)
	if err != nil {
		t.Fatal(err)
	}
	var busy atomic.Bool
	through := httputil.NewSingleHostReverseProxy(home)
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		if busy.Load() {
			rw.Header().Set("Retry-After", "120")
			rw.WriteHeader(http.StatusTooManyRequests)
			return
		}
		through.ServeHTTP(rw, req)
	}))
	t.Cleanup(proxy.Close)
	w := start(t, newHost(t), urlSpec(model.HTTP, proxy.URL))
	await[model.Connected](w)
	busy.Store(true)
	p := probe(w, patience)
	if p.Outcome != model.ProbeError || p.Text.String() != "HTTP 429 Too Many Requests, which asks to wait 120 s" {
		t.Errorf("probe: %+v", p)
	}
	if p.End.RetryAfter != 2*time.Minute || p.End.Cause.Permanent() {
		t.Errorf("what to make of it: %+v", p.End)
	}
}

func TestT5_ARestartOfTheServerIsAMissingSession(t *testing.T) {
	addr := freeAddress(t)
	first := listen(t, "http", "--listen", addr)
	w := start(t, newHost(t), urlSpec(model.HTTP, first.url))
	await[model.Connected](w)
	first.kill()
	listen(t, "http", "--listen", addr)
	if p := probe(w, patience); p.Outcome != model.Missing || p.End.Cause != model.SessionMissing {
		t.Errorf("probe: %+v", p)
	}
}

// TestP8_AStreamThatIsCutIsTakenUp: an answer's stream may end before the
// answer; where its events bear ids the answer is asked for, and nothing broke.
func TestP8_AStreamThatIsCutIsTakenUp(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), launchedSpec(t, model.HTTP, "http", "--stream", "resume"))
	if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
		t.Errorf("tools: %+v", tools)
	}
	for range 3 {
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	}
	w.line("is taken up after event")
}

func TestAStreamThatIsCutForGoodIsBroken(t *testing.T) {
	w := start(t, newHost(t), urlSpec(model.HTTP, listen(t, "http", "--stream", "cut").url))
	shaken := await[model.Handshaken](w)
	if p := probe(w, patience); p.Outcome != model.Broken || p.Text.IsZero() {
		t.Errorf("probe: %+v; %+v", p, shaken)
	}
}

func TestANameThatDoesNotResolveIsSaid(t *testing.T) {
	h := newHost(t)
	for url, via := range map[string]model.Transport{"http://no-such-host.invalid/mcp?sesame": model.HTTP, "ws://no-such-host.invalid/mcp?sesame": model.WebSocket} {
		end := await[model.Closed](start(t, h, urlSpec(via, url))).End
		text := end.Text.String()
		if end.Cause != model.TransportBroken || !strings.Contains(text, "no-such-host.invalid") || strings.Contains(text, "sesame") {
			t.Errorf("%v: %v: %s", via, end.Cause, text)
		}
	}
}

func TestABadCertificateIsSaid(t *testing.T) {
	h := newHost(t)
	s := tlsServer(t, http.NotFoundHandler())
	for scheme, via := range map[string]model.Transport{"https": model.HTTP, "wss": model.WebSocket} {
		end := await[model.Closed](start(t, h, urlSpec(via, scheme+strings.TrimPrefix(s.URL, "https")+"/?sesame"))).End
		text := end.Text.String()
		if end.Cause != model.TransportBroken || !strings.Contains(text, "certificate") || strings.Contains(text, "sesame") {
			t.Errorf("%v: %v: %s", via, end.Cause, text)
		}
	}
}
