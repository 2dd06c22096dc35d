package alert

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// desked is a desk, played at seconds after its start.
type desked struct {
	*desk
	t     *testing.T
	start time.Time
	posts []Post
}

func newDesked(t *testing.T) *desked {
	start := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	return &desked{desk: newDesk(redact.Word("edge-7")), t: t, start: start}
}

func (d *desked) at(seconds float64) time.Time {
	return d.start.Add(time.Duration(seconds * float64(time.Second)))
}

// says plays an event at a time, and what the desk does before it.
func (d *desked) says(seconds float64, k model.Kind, server string) {
	d.until(seconds)
	ev := model.Event{At: d.at(seconds), Kind: k, Server: server, Error: redact.Word("connection refused"), Text: redact.Word("unsteady: 5 connections lost within 24 h")}
	if k == model.EvDown {
		ev.Attempt = model.Some(5)
	}
	d.posts = append(d.posts, d.take(ev, ev.At)...)
}

// until lets time pass as a runner does: from one next to the next.
func (d *desked) until(seconds float64) {
	for next := d.next(); !next.IsZero() && !next.After(d.at(seconds)); next = d.next() {
		d.posts = append(d.posts, d.advance(next)...)
	}
	d.posts = append(d.posts, d.advance(d.at(seconds))...)
}

// want compares what was posted since the last look: `60 down web`, a line each.
func (d *desked) want(lines ...string) {
	d.t.Helper()
	var got []string
	for _, p := range d.posts {
		who := p.Server
		if who == "" {
			who = fmt.Sprint(p.Count)
		}
		got = append(got, fmt.Sprintf("%g %s %s", p.At.Sub(d.start).Seconds(), p.Event, who))
	}
	if g, w := strings.Join(got, "\n"), strings.Join(lines, "\n"); g != w {
		d.t.Errorf("posted\n%s\nwant\n%s", g, w)
	}
	d.posts = nil
}

func TestA5_AnEpisodeIsPostedOnceItHasBeenOpenFor60s(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "web")
	d.says(30, model.EvDown, "web")
	d.until(59.999)
	d.want()
	d.until(60)
	d.want("60 down web")
	d.says(400, model.EvDown, "web")
	d.says(700, model.EvRecovered, "web")
	d.until(10_000)
	d.want("702 recovered web")
}

func TestA5_AnEpisodeThatClosedBeforeIsNotPosted(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "web")
	d.says(59.999, model.EvRecovered, "web")
	d.says(100, model.EvDown, "web")
	d.says(130, model.EvWithdrawn, "web")
	d.until(10_000)
	d.want()
	d.says(20_000, model.EvDown, "web")
	d.says(20_060, model.EvRecovered, "web") // 60.000 s are enough
	d.until(30_000)
	d.want("20060 down web", "20062 recovered web")
}

func TestA5_WithdrawnSaysWhatItIs(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "web")
	d.says(100, model.EvWithdrawn, "web")
	d.until(200)
	last := d.posts[len(d.posts)-1].Text.String()
	d.want("60 down web", "102 withdrawn web")
	if !strings.Contains(last, "withdrawn, after 100 s") || !strings.Contains(last, "did not recover") {
		t.Error(last)
	}
}

func TestA5_APermanentFailureIsPostedAtOnce(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvHalted, "a")
	d.says(10, model.EvRefused, "b")
	d.until(1000)
	d.want("2 halted a", "12 refused b")
	d.says(2000, model.EvHalted, "a") // tried again in vain: the episode has its post
	d.says(2010, model.EvDown, "a")
	d.until(5000)
	d.want()
	d.says(6000, model.EvDown, "c")
	d.says(6100, model.EvHalted, "c") // graver than what was posted
	d.says(7000, model.EvRecovered, "c")
	d.until(8000)
	d.want("6060 down c", "6102 halted c", "7002 recovered c")
}

func TestA5_AHaltedEpisodeIsNotPostedAsDownToo(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "a")
	d.says(30, model.EvHalted, "a")
	d.until(1000)
	d.want("32 halted a")
}

func TestA5_OneOpeningIn15MinutesAndHowManyWereHeldBack(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "web") // posted at 60
	d.says(100, model.EvRecovered, "web")
	d.says(200, model.EvDown, "web") // due at 260, held back to its end
	d.says(300, model.EvRecovered, "web")
	d.says(310, model.EvDown, "web") // 20 s: it would not have been posted
	d.says(330, model.EvRecovered, "web")
	d.says(400, model.EvDown, "web") // due at 460, held back until 960
	d.until(959)
	d.want("60 down web", "102 recovered web")
	d.until(960)
	if p := d.posts[0]; p.HeldBack != 2 || !strings.Contains(p.Text.String(), "down for 560 s") || !strings.Contains(p.Text.String(), "held back: 2") {
		t.Errorf("%d: %s", p.HeldBack, p.Text)
	}
	d.want("960 down web")
	d.says(1000, model.EvRecovered, "web")
	d.says(1100, model.EvHalted, "web") // of another kind
	d.says(1200, model.EvWithdrawn, "web")
	d.until(2000)
	d.want("1002 recovered web", "1102 halted web", "1202 withdrawn web")
	d.says(3000, model.EvDown, "web") // the time is over
	d.until(4000)
	if p := d.posts[0]; p.HeldBack != 0 {
		t.Errorf("held back: %d", p.HeldBack)
	}
	d.want("3060 down web")
}

func TestA5_WhatWasHeldBackToItsEndIsCountedInTheNext(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "web")
	d.says(100, model.EvRecovered, "web")
	d.says(200, model.EvDown, "web")
	d.says(300, model.EvRecovered, "web")
	d.says(5000, model.EvDown, "web")
	d.until(6000)
	if p := d.posts[len(d.posts)-1]; p.HeldBack != 1 {
		t.Errorf("held back: %d", p.HeldBack)
	}
}

// TestA5_WhatWasHeldBackIsRemembered, over restarts too, for a day: an opening after
// that does not speak of it.
func TestA5_WhatWasHeldBackIsRemembered(t *testing.T) {
	day := (24 * time.Hour).Seconds()
	for later, want := range map[float64]int{60 + day - 1: 1, 60 + day: 0} { // since the last post
		d := newDesked(t)
		d.says(0, model.EvDown, "web")
		d.says(100, model.EvRecovered, "web")
		d.says(200, model.EvDown, "web")
		d.says(300, model.EvRecovered, "web")
		d.until(later)
		d.desk = restore(d.save(nil, nil), d.host, d.at(later))
		d.posts = nil
		d.says(later, model.EvHalted, "web")
		d.says(later+10, model.EvRecovered, "web")
		d.says(later+20, model.EvDown, "web")
		d.until(later + 100)
		if p := d.posts[len(d.posts)-1]; p.Event != "down" || p.HeldBack != want {
			t.Errorf("%g s later: %s, held back: %d, want %d", later, p.Event, p.HeldBack, want)
		}
	}
}

// TestA5_TheEndOfAnEpisodeThatNobodyKnowsIsNotPosted: it opened before there were
// alerts.
func TestA5_TheEndOfAnEpisodeThatNobodyKnowsIsNotPosted(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvRecovered, "web")
	d.says(1, model.EvWithdrawn, "api")
	d.until(100)
	d.want()
}

func TestAHostsLongNameIsCut(t *testing.T) {
	for n, want := range map[int]int{100: 100, 101: 100, 5000: 100} {
		if got := size(newDesk((*redact.Redactor)(nil).Text(strings.Repeat("h", n))).host); got != want {
			t.Errorf("of %d characters: %d, want %d", n, got, want)
		}
	}
}

func TestA5_AFleetWideOutageIsOnePost(t *testing.T) {
	for _, c := range []struct {
		servers int
		within  float64 // seconds
		want    []string
	}{
		{20, 30, []string{"90 outage 20", "1002 recovered 20"}},
		{100, 0, []string{"60 outage 100", "1002 recovered 100"}},
		{19, 10, nil},   // one by one
		{20, 30.5, nil}, // likewise
		{20, 400, nil},
	} {
		d := newDesked(t)
		for i := range c.servers {
			d.says(float64(i)*c.within/float64(max(c.servers-1, 1)), model.EvDown, fmt.Sprint("s", i))
		}
		for i := range c.servers {
			d.says(1000, model.EvRecovered, fmt.Sprint("s", i))
		}
		d.until(5000)
		if c.want == nil {
			openings := 0
			for _, p := range d.posts {
				if p.Event == "down" {
					openings++
				}
			}
			if openings != c.servers {
				t.Errorf("%d within %g s: %d openings", c.servers, c.within, openings)
			}
			continue
		}
		p := d.posts[0]
		d.want(c.want...)
		b, err := json.Marshal(p)
		if err != nil || strings.Count(string(b), `"server"`) != c.servers || size(p.Text) > maxText || !strings.Contains(p.Text.String(), "s0, s1, ") {
			t.Errorf("%s: %s, %v", p.Text, b, err)
		}
	}
}

func TestA5_HaltedTogetherIsOnePostToo(t *testing.T) {
	d := newDesked(t)
	for i := range 50 { // at the start, one after the other
		d.says(float64(i)/10, model.EvHalted, fmt.Sprint("s", i))
	}
	d.says(6, model.EvWithdrawn, "s7") // while it waits for the others
	d.until(1000)
	d.want("6 outage 50", "8 withdrawn s7")
}

func TestA5_AFewThatAreHaltedWaitForNoDown(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvDown, "a")
	d.says(1, model.EvDown, "b")
	d.says(59.5, model.EvHalted, "c")
	d.until(1000)
	d.want("60 down a", "61 down b", "61.5 halted c")
}

func TestA5_WhoWaitsForAnOutageAndClosesIsPostedBothTimes(t *testing.T) {
	d := newDesked(t)
	for i := range 30 {
		d.says(float64(i), model.EvDown, fmt.Sprint("s", i))
	}
	d.says(75, model.EvRecovered, "s3") // due at 63, and only waited for the others
	d.says(76, model.EvRecovered, "s29")
	d.until(1000)
	opened := map[string]int{}
	for _, p := range d.posts {
		for _, n := range p.of {
			opened[n.Server+" "+n.Kind.String()]++
		}
	}
	if opened["s3 down"] != 1 || opened["s3 recovered"] != 1 || opened["s29 down"] != 0 || opened["s29 recovered"] != 0 || opened["s28 down"] != 1 {
		t.Errorf("%v", opened)
	}
}

func TestA7_UnsteadyIsPosted(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvUnsteady, "web")
	d.until(100)
	if text := d.posts[0].Text.String(); text != "web on edge-7: unsteady: 5 connections lost within 24 h" {
		t.Error(text)
	}
	d.want("2 unsteady web")
}

func TestTheNextOpeningDoesNotOvertakeARecovery(t *testing.T) {
	d := newDesked(t)
	d.says(0, model.EvHalted, "web")
	d.says(100, model.EvRecovered, "web")
	d.says(100.5, model.EvRefused, "web")
	d.says(101, model.EvWithdrawn, "web")
	d.until(1000)
	d.want("2 halted web", "100.5 recovered web", "101 refused web", "103 withdrawn web")
}

func TestA5_ARestartNeitherRepeatsNorLosesAPost(t *testing.T) {
	d := newDesked(t)
	again := func(seconds float64, posts ...Post) {
		var left []unsent
		for _, p := range posts {
			left = append(left, unsent{p, []string{"webhook"}})
		}
		b, err := json.Marshal(d.save(left, []string{"webhook"}))
		if err != nil {
			t.Fatal(err)
		}
		var s saved
		if err := json.Unmarshal(b, &s); err != nil {
			t.Fatal(err)
		}
		d.desk = restore(s, redact.Word("edge-7"), d.at(seconds))
	}
	d.says(0, model.EvDown, "open")
	d.says(0, model.EvDown, "gone")
	d.says(50, model.EvDown, "young")
	d.says(70, model.EvHalted, "unsent")
	d.until(80)
	d.want("60 down open", "60 down gone", "72 halted unsent")
	again(85, postOf(notice{Server: "unsent", Kind: model.EvHalted, At: d.at(70), Since: d.at(70), Due: d.at(70)}, redact.Word("edge-7"), d.at(72)))
	d.posts = append(d.posts, d.reconcile(map[string]bool{"open": true, "young": true, "unsent": true}, d.at(90))...)
	d.says(100, model.EvDown, "open")
	d.says(105, model.EvHalted, "unsent")
	d.says(200, model.EvRecovered, "open")
	d.says(210, model.EvRecovered, "unsent")
	d.until(1000)
	d.want("90 halted unsent", "92 withdrawn gone", "110 down young", "202 recovered open", "212 recovered unsent")
	if d.says(1100, model.EvDown, "open"); d.servers["open"].Last[model.EvDown] != d.at(60) {
		t.Error("the cooldown was forgotten")
	}
}

func TestWhatIsOverIsForgotten(t *testing.T) {
	d := newDesked(t)
	for i := range 100 {
		d.says(0, model.EvDown, fmt.Sprint("s", i))
		d.says(100, model.EvRecovered, fmt.Sprint("s", i))
	}
	d.until(100 + 2*cooldown.Seconds())
	if s := d.save(nil, nil); len(s.Servers) > 0 || len(d.servers) > 0 {
		t.Errorf("%d servers are remembered", len(d.servers))
	}
}

func TestAMessageHasAtMost500Characters(t *testing.T) {
	long := (*redact.Redactor)(nil).Text(strings.Repeat("ü@everyone <b> ", 400))
	p := postOf(notice{Server: strings.Repeat("n", 64), Kind: model.EvHalted, At: time.Now(), Error: long, HeldBack: 3}, redact.Word("edge-7"), time.Now())
	if n := size(p.Text); n != maxText || !strings.HasSuffix(p.Text.String(), "held back: 3") {
		t.Errorf("%d characters: %s", n, p.Text)
	}
	for _, f := range Formats() {
		b, err := body(f, p)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"text", "content"} {
			text, ok := m[key].(string)
			if n := len([]rune(text)); ok && (n > maxText || n < maxText-10) {
				t.Errorf("%s: %d characters", f, n)
			}
			if f != JSON && (strings.Contains(text, "@e") || f != Connectome && strings.Contains(strings.ReplaceAll(text, `\<`, ""), "<")) {
				t.Errorf("%s: %s", f, text)
			}
		}
	}
}
