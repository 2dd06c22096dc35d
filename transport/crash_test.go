package transport

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

func TestD10_APanicOfARunsGoroutineIsHandedOver(t *testing.T) {
	crashed := make(chan string, 16)
	h, err := NewHost(Options{Version: "test", Crash: func(v any, stack []byte) {
		crashed <- fmt.Sprintf("%v %s", v, stack)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	r := h.Start(demoSpec(t, "healthy"), model.Dial{
		Run: 1, Timeout: patience, Report: func(model.RunEvent) {},
		Line: func(time.Time, model.LineKind, redact.Safe) { panic("a defect") },
	})
	defer r.Kill()
	select {
	case got := <-crashed:
		if !strings.HasPrefix(got, "a defect goroutine ") {
			t.Errorf("handed over: %.60s", got)
		}
	case <-time.After(patience):
		t.Fatal("the panic was not handed over")
	}
}
