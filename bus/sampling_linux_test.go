package bus

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server/pse"
)

// TestTheServerDoesNotLookAtThisProcessEachSecond: with the pinned version it
// has no file to look at, without which it ends that.
func TestTheServerDoesNotLookAtThisProcessEachSecond(t *testing.T) {
	var cpu float64
	var resident, virtual int64
	if err := pse.ProcUsage(&cpu, &resident, &virtual); err == nil {
		t.Errorf("it reads %q still", procStatFile)
	}
}
