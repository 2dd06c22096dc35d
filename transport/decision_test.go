package transport

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rollcall/model"
)

// besides is an entry that launches a process which listens nowhere, and dials a
// server of the test's own.
func besides(via model.Transport, address string) *model.Spec {
	spec := commandSpec("/bin/sleep", "1000")
	spec.Transport, spec.Timings.StopGrace.D = via, time.Second
	scheme := map[model.Transport]string{model.WebSocket: "ws://", model.HTTP: "http://"}[via]
	spec.URL = urlSpec(via, scheme+address+"/mcp").URL
	return spec
}

// reply is a status, and its Retry-After where that is not 0.
type reply struct{ status, after int }

// inTurns is a server that gives these answers, one a dial, the last for good. at
// returns when each was given.
func inTurns(t *testing.T, answers ...reply) (address string, at func() []time.Time) {
	t.Helper()
	var mu sync.Mutex
	var times []time.Time
	s := webServer(t, func(w http.ResponseWriter, req *http.Request, method string) bool {
		mu.Lock()
		defer mu.Unlock()
		if method == methodDiscover { // over HTTP a dial begins with it
			http.Error(w, "no", http.StatusBadRequest)
			return true
		}
		a := answers[min(len(times), len(answers)-1)]
		times = append(times, time.Now())
		if a.after > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(a.after))
		}
		http.Error(w, "no", a.status)
		return true
	})
	return strings.TrimPrefix(s.URL, "http://"), func() []time.Time {
		mu.Lock()
		defer mu.Unlock()
		return append([]time.Time(nil), times...)
	}
}

func TestC2_AnAnswerThatIsADecisionEndsTheAttempt(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, via := range []model.Transport{model.WebSocket, model.HTTP} {
		for _, c := range []struct {
			reply
			text string
		}{
			{reply{429, 120}, "HTTP 429 Too Many Requests"},
			{reply{429, 0}, "HTTP 429 Too Many Requests"},
			{reply{403, 0}, "HTTP 403 Forbidden"},
			{reply{400, 0}, "HTTP 400 Bad Request"},
			{reply{502, 7}, "HTTP 502 Bad Gateway"},
			{reply{503, 3600}, "HTTP 503 Service Unavailable"}, // longer than the attempt has
		} {
			address, at := inTurns(t, c.reply)
			w := start(t, h, besides(via, address))
			end := await[model.Closed](w).End
			if end.Cause != model.HTTPStatus || end.Text.String() != c.text || end.RetryAfter != time.Duration(c.after)*time.Second {
				t.Errorf("%v %v: %+v", via, c.reply, end)
			}
			if n := len(at()); n != 1 {
				t.Errorf("%v %v: dialled %d times", via, c.reply, n)
			}
		}
	}
}

// TestC2_WhatMayPassIsTriedAgain: it ends once the server decides.
func TestC2_WhatMayPassIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, via := range []model.Transport{model.WebSocket, model.HTTP} {
		passing := []reply{{404, 0}, {405, 0}, {425, 0}, {500, 0}, {502, 0}, {503, 0}, {504, 0}, {503, 1}}
		address, at := inTurns(t, append(passing, reply{403, 0})...)
		w := start(t, h, besides(via, address))
		end := await[model.Closed](w).End
		if end.Text.String() != "HTTP 403 Forbidden" {
			t.Errorf("%v: %+v", via, end)
		}
		times := at()
		if len(times) != len(passing)+1 {
			t.Fatalf("%v: dialled %d times", via, len(times))
		}
		if waited := times[len(passing)].Sub(times[len(passing)-1]); waited < time.Second {
			t.Errorf("%v: waited %v where the answer asks for 1 s (H1)", via, waited)
		}
	}
}

func TestC2_RedirectsThatLeadNowhereEndTheAttempt(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.waits.exit = 250 * time.Millisecond // it will not exit
	for _, via := range []model.Transport{model.WebSocket, model.HTTP} {
		address, asked := redirecting(t, http.StatusPermanentRedirect, "/again")
		w := start(t, h, besides(via, address), func(d *model.Dial) { d.Legacy = true })
		if end := await[model.Closed](w).End; end.Cause != model.TransportBroken || asked.Load() != maxRedirects {
			t.Errorf("%v: %d requests: %+v", via, asked.Load(), end)
		}
	}
}
