package cli

import (
	"errors"
	"strings"
	"testing"

	"rollcall/model"
	"rollcall/redact"
)

// TestO1_TheTextOfAnEventNamesWhoOrdered: once.
func TestO1_TheTextOfAnEventNamesWhoOrdered(t *testing.T) {
	by := redact.Word("anna (pts/3)")
	for text, want := range map[redact.Safe]string{
		redact.Word("restart a: done"):                   "restart a: done · by anna (pts/3)\n",
		redact.Word("off: disconnected by anna (pts/3)"): "off: disconnected by anna (pts/3)\n",
	} {
		var out strings.Builder
		newPrinter(&out, false, false).event(model.Event{Kind: model.EvOrder, Server: "a", By: by, Text: text}, 0)
		if !strings.HasSuffix(out.String(), " "+want) {
			t.Errorf("%q, want … %q", out.String(), want)
		}
	}
}

// TestC8_AReloadSaysWhatAndWho, also where it does nothing.
func TestC8_AReloadSaysWhatAndWho(t *testing.T) {
	r := model.Reload{By: redact.Word("anna (pts/3)")}
	if got, want := reloadedText(r).String(), "reloaded: what runs is as the file has it, by anna (pts/3)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := reloadedText(model.Reload{Added: []string{"b"}}).String(), "reloaded: add b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Later = []redact.Safe{redact.Word("[log] dir")}
	if got, want := reloadedText(r).String(), "reloaded: the servers are as the file has them, by anna (pts/3); [log] dir: at the next start"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestN3_ConnectWaitsForWhatIsHadAlready: it exits with 0; without --wait the
// engine refuses (O4).
func TestN3_ConnectWaitsForWhatIsHadAlready(t *testing.T) {
	fleet := model.Fleet{Rows: []*model.Row{{Server: "a", Phase: model.Settling}}}
	given, _, err := ordering{wait: true}.errands(model.Connect, []string{"a"}, fleet)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	bad, err := (&run{verb: model.Connect, out: &out, wait: true}).do(t.Context(), given)
	if want := "a                settling already\n"; err != nil || bad || out.String() != want {
		t.Errorf("%q, bad %v, %v", out.String(), bad, err)
	}
	given, _, err = ordering{}.errands(model.Connect, []string{"a"}, fleet)
	if err != nil || len(given) != 1 || given[0].order.ID == "" {
		t.Errorf("without --wait it is not ordered: %+v, %v", given, err)
	}
}

// TestN3_StatusThatIsNotAnsweredIsThree: 1 says that a server is not up.
func TestN3_StatusThatIsNotAnsweredIsThree(t *testing.T) {
	var f failure
	if err := unanswered(asked("status", errors.New("it is busy"))); !errors.As(err, &f) || f.code != exitNoEngine {
		t.Errorf("%v, exit %d", err, f.code)
	}
}
