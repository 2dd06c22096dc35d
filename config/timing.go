package config

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// maxStopGrace bounds stop_grace (H2).
const maxStopGrace = 60 * time.Second

// timingField is one of the timings, and what is special about it.
type timingField struct {
	name      string
	at        func(*model.Timings) *model.Timing
	infinite  bool // `inf` is accepted (C3)
	reconnect bool // unused where reconnect is off (C4)
}

var timingFields = []timingField{
	{"reconnect_interval", func(t *model.Timings) *model.Timing { return &t.ReconnectInterval }, true, true},
	{"reconnect_max_interval", func(t *model.Timings) *model.Timing { return &t.ReconnectMaxInterval }, true, true},
	{"lasting_after", func(t *model.Timings) *model.Timing { return &t.LastingAfter }, false, false},
	{"start_timeout", func(t *model.Timings) *model.Timing { return &t.StartTimeout }, false, false},
	{"request_timeout", func(t *model.Timings) *model.Timing { return &t.RequestTimeout }, false, false},
	{"probe_interval", func(t *model.Timings) *model.Timing { return &t.ProbeInterval }, true, false},
	{"probe_timeout", func(t *model.Timings) *model.Timing { return &t.ProbeTimeout }, false, false},
	{"stop_grace", func(t *model.Timings) *model.Timing { return &t.StopGrace }, false, false},
}

// hint says how the field is written.
func (f timingField) hint() redact.Safe {
	h := redact.Word(`write a duration such as "5s" or "1m30s", or a number of milliseconds`)
	if f.infinite {
		h = redact.Sprintf("%s, or inf", h)
	}
	return h
}

// read is the duration that a value of the file means (C3): above 0, Forever for
// inf. What is longer than a timer can be set for is Forever where inf is legal,
// else model.MaxTimer. Where fault is not empty it is the second half of a
// sentence that begins with the field's name; it repeats the value, as written,
// where that is a number, and else says only its kind.
func (f timingField) read(v any, written string) (d time.Duration, fault redact.Safe) {
	var ms float64
	switch v := v.(type) {
	case int64:
		ms = float64(v)
	case float64:
		ms = v
	case string:
		var ok bool
		if ms, ok = milliseconds(strings.TrimSpace(v)); !ok {
			return 0, redact.Word("text that is not a duration")
		}
	default:
		return 0, redact.Sprintf("%s, where a duration belongs", kindOf(v))
	}
	number := clean(written[:min(len(written), 40)])
	switch {
	case math.IsNaN(ms):
		return 0, redact.Word("NaN, which is no time")
	case ms <= 0:
		return 0, redact.Sprintf("%s is not above 0", number)
	case math.IsInf(ms, 1) && !f.infinite:
		return 0, redact.Word("inf is not accepted here")
	case math.IsInf(ms, 1), f.infinite && ms >= float64(model.Forever/time.Millisecond):
		return model.Forever, redact.Safe{}
	case f.infinite:
		return max(time.Duration(ms*1e6), 1), redact.Safe{}
	}
	d = model.MaxTimer
	if ms < float64(model.MaxTimer/time.Millisecond) {
		d = max(time.Duration(ms*1e6), 1)
	}
	if f.name == "stop_grace" && d > maxStopGrace {
		return 0, redact.Sprintf("%s is above 60s, the longest grace", number)
	}
	return d, redact.Safe{}
}

// timing reads a timing that is given; bad says what is wrong with it.
func (r *reader) timing(f timingField, v value) (d time.Duration, bad fault) {
	x, written := v.v, r.doc.written(v.span())
	if s, ok := x.(string); ok {
		e, bad := r.env.expand(s)
		if bad.bad() {
			return 0, bad
		}
		x, written = e.text, strings.TrimSpace(e.text)
		if len(e.refs) > 0 {
			written = "the variable's value" // who knows what was in it
		}
	}
	d, text := f.read(x, written)
	if !text.IsZero() {
		bad = fault{text, f.hint()}
	}
	return d, bad
}

// doubtful warns of a legal timing that hardly anyone means (C4, L2), or that is
// not in force.
func (r *reader) doubtful(name string, t model.Timing, v value) {
	switch {
	case name == "reconnect_max_interval" && t.D < time.Second:
		r.warn(v.span(), v.field, fault{redact.Sprintf("%s is below 1s: a server that fails at once is started again and again", t.Text()),
			redact.Word(`the default is "300s"`)})
	case name == "lasting_after" && t.D < 300*time.Second:
		r.warn(v.span(), v.field, fault{redact.Sprintf("%s is below 300s: a server that flaps slower than that counts as recovered each time", t.Text()),
			redact.Word("remove it for the default of 300s or more")})
	case name == "request_timeout":
		r.idle(v)
	}
}

var (
	numberText   = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	infText      = regexp.MustCompile(`^(?i)([+-]?)inf(inity)?$`)
	durationText = regexp.MustCompile(`^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$`)
)

// milliseconds reads a text that is a number of milliseconds, a duration, or
// inf. A finite text that is too great for a float64 is the greatest one.
func milliseconds(s string) (float64, bool) {
	if m := infText.FindStringSubmatch(s); m != nil {
		if m[1] == "-" {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	}
	sign := 1.0
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	if numberText.MatchString(s) {
		f, err := strconv.ParseFloat(s, 64)
		if errors.Is(err, strconv.ErrRange) && math.IsInf(f, 0) {
			return sign * math.MaxFloat64, true
		}
		return f, err == nil
	}
	if !durationText.MatchString(s) {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	if err != nil { // it has the form of one: it is too great
		return sign * math.MaxFloat64, true
	}
	return float64(d) / 1e6, true
}

// kindOf says what a value is without repeating it.
func kindOf(v any) redact.Safe {
	switch v.(type) {
	case bool:
		return redact.Word("a boolean")
	case string:
		return redact.Word("text")
	case int64, float64:
		return redact.Word("a number")
	case []any:
		return redact.Word("an array")
	case []map[string]any:
		return redact.Word("an array of tables")
	case map[string]any:
		return redact.Word("a table")
	case time.Time:
		return redact.Word("a date or time")
	}
	return redact.Word("a value of another kind")
}
