package transport

import (
	"testing"
	"time"

	"rollcall/model"
)

// TestEveryWayALateAnswerToInitializeIsWaitedFor: start_timeout lets it.
func TestEveryWayALateAnswerToInitializeIsWaitedFor(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		const late = 300 * time.Millisecond
		w := start(t, h, spec("--late", late.String()))
		if took := await[model.Handshaken](w).At.Sub(w.started); took < late {
			t.Errorf("handshake after %v", took)
		}
		await[model.Connected](w)
	})
}

// TestT6_AServerOfTheOldestRevisionAloneIsMet, though it says no more than that the
// parameters are invalid. Over HTTP it is not: protocol_version says which.
func TestT6_AServerOfTheOldestRevisionAloneIsMet(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		s := spec("--old")
		if s.Transport == model.HTTP {
			return
		}
		w := start(t, h, s)
		if got := await[model.Handshaken](w).Handshake.Revision.String(); got != "2024-11-05" {
			t.Errorf("revision %s", got)
		}
		await[model.Connected](w)
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	})
}

// TestT7_AnErrorToNobodyIsSkipped: its id is null. For HTTP see
// TestT2_WhatElseComesWithAnAnswerIsNoise.
func TestT7_AnErrorToNobodyIsSkipped(t *testing.T) {
	h := newHost(t)
	everyWay(t, func(t *testing.T, spec func(...string) *model.Spec) {
		s := spec("--strays")
		if s.Transport == model.HTTP {
			return
		}
		w := start(t, h, s)
		if tools := await[model.Connected](w).Tools; tools != model.Some(3) {
			t.Errorf("tools: %+v", tools)
		}
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("probe: %+v", p)
		}
	})
}
