package cli

import (
	"reflect"
	"slices"
	"testing"

	"rollcall/config"
	"rollcall/ui"
)

// TestTheConfigurationKnowsTheDashboardsKeys holds the two tables together:
// config/ui.go and ui/keys.go, whose rooms do not see each other.
func TestTheConfigurationKnowsTheDashboardsKeys(t *testing.T) {
	var want []config.Action
	for _, k := range ui.Keys() {
		want = append(want, config.Action(k))
	}
	if got := config.Actions(); !reflect.DeepEqual(got, want) {
		t.Errorf("the configuration's actions are\n%v\nthe dashboard's\n%v", got, want)
	}
	if got, want := config.Tokens(), ui.Tokens(); !slices.Equal(got, want) {
		t.Errorf("the configuration's tokens are %v, the dashboard's %v", got, want)
	}
}
