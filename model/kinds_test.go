package model

import (
	"slices"
	"strings"
	"testing"
)

// TestA6_TheKindsOfEvents: the names that scripts read, none more and none less,
// and each is read back as what it was.
func TestA6_TheKindsOfEvents(t *testing.T) {
	want := strings.Fields("queued starting connected attempt-failed lasted lost down recovered withdrawn unsteady halted refused ended probe stopping off order config")
	var got []string
	for k := range kinds {
		got = append(got, k.String())
		var back Kind
		if err := back.UnmarshalText([]byte(k.String())); err != nil || back != k {
			t.Errorf("%s is read as %s: %v", k, back, err)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the kinds are %v\nwant         %v", got, want)
	}
}
