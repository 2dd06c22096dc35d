package model

import (
	"strings"

	"rollcall/redact"
)

// Brief is what a row says of a failure, most telling part first, since the
// screen cuts its end: how it ended, then the most telling line of stderr.
// `exit code 1 after 1 s · Error: Bad credentials`. ok is false for an event
// that is no failure of the server.
func (e Event) Brief() (text redact.Safe, ok bool) {
	switch e.Kind {
	case EvAttemptFailed, EvLost, EvHalted:
	case EvRefused:
		return e.Error.Without(redact.Sprintf("server %s: ", redact.Name(e.Server))), true
	case EvEnded:
		end := End{ExitCode: e.ExitCode, Signal: e.Signal, CloseCode: e.CloseCode}
		if e.Life.Ok && end.AsAsked() {
			return redact.Safe{}, false
		}
	default:
		return redact.Safe{}, false
	}
	text = e.briefEnd()
	if line := Telling(e.Stderr); !line.IsZero() {
		text = redact.Sprintf("%s · %s", text, line)
	}
	return text, true
}

// briefEnd is how it ended, in as few words as say it.
func (e Event) briefEnd() redact.Safe {
	if !e.Life.Ok || e.Kind == EvHalted {
		return e.Error
	}
	after := Seconds(e.Life.V.D())
	switch {
	case e.ExitCode.Ok:
		return redact.Sprintf("exit code %d after %d s", redact.Int(e.ExitCode.V), after)
	case e.OutOfMemory:
		return redact.Sprintf("%s: out of memory, after %d s", e.Signal, after)
	case !e.Signal.IsZero():
		return redact.Sprintf("signal %s after %d s", e.Signal, after)
	case e.CloseCode.Ok:
		return redact.Sprintf("close code %d after %d s", redact.Int(e.CloseCode.V), after)
	}
	text := e.Error.Without(redact.Word("connected, then "))
	if why := text.Without(redact.Sprintf("closed after %d s (closed by this host: ", after)); why != text {
		return redact.Sprintf("%s, after %d s", why.WithoutEnd(redact.Word(")")), after)
	}
	return text
}

// tellingWords are what a line that says why has, in lower case.
var tellingWords = []string{"error", "fatal", "panic", "exception", "denied", "refused", "cannot", "can't", "failed",
	"not found", "no such", "invalid", "missing", "unauthorized", "forbidden", "timed out", "timeout", "out of memory"}

// Telling picks the line of a server's last ones that says most: the last that
// speaks of an error, else the last that is no part of a stack trace, else the
// last.
func Telling(lines []redact.Safe) redact.Safe {
	var plain redact.Safe
	for i := len(lines) - 1; i >= 0; i-- {
		line := lines[i].String()
		if indented := strings.TrimLeft(line, " ") != line; indented {
			continue // a frame of a stack, a part of a dump
		}
		lower := strings.ToLower(line)
		for _, w := range tellingWords {
			if strings.Contains(lower, w) {
				return lines[i]
			}
		}
		if plain.IsZero() {
			plain = lines[i]
		}
	}
	if plain.IsZero() && len(lines) > 0 {
		return lines[len(lines)-1]
	}
	return plain
}
