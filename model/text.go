package model

import (
	"time"

	"rollcall/redact"
)

// The lines that a person reads (A1, A2, L4, P6). They say what was observed.

// Seconds is d in whole seconds, rounded down.
func Seconds(d time.Duration) redact.Int { return redact.Int(d / time.Second) }

// ClosedText is the text of a connection's end (L4).
func ClosedText(life time.Duration, end End) redact.Safe {
	return redact.Sprintf("connected, then closed after %d s %s", Seconds(life), end.How())
}

// FailedText is the failure line of an attempt (A1), without when the next
// one comes; willRetry is false where a disconnect or a stop came between.
func FailedText(attempt int, err redact.Safe, willRetry bool) redact.Safe {
	switch {
	case attempt > 0:
		return redact.Sprintf("reconnect failed: %s", err)
	case willRetry:
		return redact.Sprintf("initial connect failed, will retry: %s", err)
	}
	return redact.Sprintf("initial connect failed: %s", err)
}

// DownText is the alert of A2.
func DownText(p Protocol, attempt int, err redact.Safe) redact.Safe {
	return redact.Sprintf("%s server down (attempt %d): %s", redact.Name(p.Title()), redact.Int(attempt), err)
}

// Span is a wait in words: milliseconds under a second, then whole seconds
// rounded down.
func Span(d time.Duration) redact.Safe {
	if d < time.Second {
		return redact.Sprintf("%d ms", redact.Int(d.Milliseconds()))
	}
	return redact.Sprintf("%d s", Seconds(d))
}
