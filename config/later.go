package config

import (
	"maps"
	"slices"

	"rollcall/redact"
)

// setting is one of a table that is no server's, and whether it differs.
type setting struct {
	differs bool
	name    redact.Safe
}

// Later names the settings in which two files differ, and which a reload leaves
// as they are, since they are read when rollcall starts: `[log] dir`. It holds no
// value. Those of [ui] are a dashboard's alone: LaterOnScreen.
func Later(started, now *File) []redact.Safe {
	a, b := started, now
	return differing([]setting{
		{a.StartConcurrency != b.StartConcurrency, redact.Word("[defaults] start_concurrency")},
		{!sameSecret(a.Alerts.Webhook, b.Alerts.Webhook), redact.Word("[alerts] webhook")},
		{a.Alerts.Format != b.Alerts.Format, redact.Word("[alerts] format")},
		{!slices.EqualFunc(a.Alerts.Exec, b.Alerts.Exec, sameSecret), redact.Word("[alerts] exec")},
		{a.LogDir != b.LogDir, redact.Word("[log] dir")},
		{a.Log.MaxBytes != b.Log.MaxBytes, redact.Word("[log] max_mb")},
		{a.Log.Keep != b.Log.Keep, redact.Word("[log] keep")},
		{a.Log.Stderr != b.Log.Stderr, redact.Word("[log] stderr")},
		{a.Log.StderrBytes != b.Log.StderrBytes, redact.Word("[log] stderr_mb")},
	})
}

// LaterOnScreen is Later for what a dashboard reads when it starts.
func LaterOnScreen(started, now *File) []redact.Safe {
	a, b := &started.UI, &now.UI
	return differing([]setting{
		{a.StopOnHangup != b.StopOnHangup, redact.Word("[ui] on_hangup")},
		{a.ASCII != b.ASCII, redact.Word("[ui] ascii")},
		{a.NoMouse != b.NoMouse, redact.Word("[ui] mouse")},
		{!maps.EqualFunc(a.Keys, b.Keys, slices.Equal), redact.Word("[ui] keys")},
		{!maps.Equal(a.Dark, b.Dark) || !maps.Equal(a.Light, b.Light), redact.Word("[ui] theme")},
	})
}

func differing(settings []setting) (names []redact.Safe) {
	for _, s := range settings {
		if s.differs {
			names = append(names, s.name)
		}
	}
	return names
}
