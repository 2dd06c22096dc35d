package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"rollcall/config"
	"rollcall/model"
)

// paint colours text for a terminal; its zero value leaves it as it is (D9: a
// word always says what the colour says).
type paint struct{ on bool }

// paintFor colours where w is a terminal and nobody asked for none.
func paintFor(w io.Writer) paint {
	f, ok := w.(*os.File)
	return paint{ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (p paint) with(sgr, text string) string {
	if !p.on {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

func (p paint) red(s string) string    { return p.with("31", s) }
func (p paint) yellow(s string) string { return p.with("33", s) }
func (p paint) bold(s string) string   { return p.with("1", s) }
func (p paint) faint(s string) string  { return p.with("2", s) }

// reportWriter writes a report as a person reads it, and keeps the first error.
type reportWriter struct {
	paint
	w   io.Writer
	all bool // every timing, not only those that the file sets
	err error
}

func (w *reportWriter) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.w, format+"\n", args...)
	}
}

// write puts errors first, then warnings, then what would be started, so that
// the end of the output is the sum.
func (w *reportWriter) write(r report) error {
	w.problems(r.Problems, false)
	w.problems(r.Problems, true)
	w.defaults(r.Servers)
	refused, off := 0, 0
	for _, s := range r.Servers {
		w.server(s)
		switch {
		case s.Refused:
			refused++
		case !s.Enabled:
			off++
		}
	}
	errors, warnings := count(r.Errors, "error"), count(r.Warnings, "warning")
	if r.Errors > 0 {
		errors = w.red(errors)
	}
	if r.Warnings > 0 {
		warnings = w.yellow(warnings)
	}
	w.line("%s: %s, %d refused, %d disabled; %s, %s", r.Config, count(len(r.Servers), "server"), refused, off, errors, warnings)
	return w.err
}

// problems writes the errors, or the warnings, each with a blank line behind it.
func (w *reportWriter) problems(problems []model.Problem, warnings bool) {
	for _, p := range problems {
		if p.Warning != warnings {
			continue
		}
		head, rest, _ := strings.Cut(config.Render(p), "\n")
		if warnings {
			head = strings.Replace(head, "warning:", w.yellow("warning:"), 1)
		} else {
			head = w.red("error: ") + head
		}
		w.line("%s", head)
		if rest != "" {
			w.line("%s", rest)
		}
		w.line("")
	}
}

// server writes what would be started of a server, with the timings in force
// that are not built in, and what is treated as secret.
func (w *reportWriter) server(s checked) {
	switch {
	case s.Refused:
		w.line("%s  %s", w.bold(s.Server), w.red("refused: nothing of it is started"))
		return
	case !s.Enabled:
		w.line("%s  %s", w.bold(s.Server), "disabled: not started until connected")
	default:
		w.line("%s  %s", w.bold(s.Server), s.Transport)
	}
	if !s.Shown.Command.IsZero() {
		w.line("  launch %s", s.Shown.Command)
	}
	if !s.Shown.URL.IsZero() {
		w.line("  dial %s", s.Shown.URL)
	}
	if timings := w.timings(s.Shown.Timings); len(timings) > 0 {
		w.line("  %s", strings.Join(timings, ", "))
	}
	if len(s.Shown.Secrets) > 0 {
		w.line("  secret: %s", byReason(s.Shown.Secrets))
	}
	if len(s.Shown.Open) > 0 {
		w.line("  shown as it is: %s", byReason(s.Shown.Open))
	}
}

// defaults writes once what [defaults] sets for all servers that do not say
// otherwise.
func (w *reportWriter) defaults(servers []checked) {
	var list []string
	for _, s := range servers {
		if s.Shown == nil {
			continue
		}
		for _, f := range inForce(s.Shown.Timings) {
			if text := f.name + " " + f.Text().String(); f.From == model.FromDefaults && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	if len(list) > 0 && !w.all {
		w.line("%s  %s", w.bold("[defaults]"), strings.Join(list, ", "))
	}
}

// timings are the timings in force with where each came from: those of the entry
// itself, or all.
func (w *reportWriter) timings(t model.Timings) []string {
	var list []string
	for _, f := range inForce(t) {
		if w.all || f.From == model.FromEntry {
			list = append(list, fmt.Sprintf("%s %s %s", f.name, f.Text(), w.faint("("+f.From.String()+")")))
		}
	}
	return list
}

// namedTiming is a timing under its field's name.
type namedTiming struct {
	name string
	model.Timing
}

// inForce are the timings that something acts on, in the manual's order; a lasting_after that is not set
// is what L1 makes of the cap.
func inForce(t model.Timings) []namedTiming {
	lasting := t.LastingAfter
	lasting.D = t.Lasting()
	return []namedTiming{
		{"reconnect_interval", t.ReconnectInterval}, {"reconnect_max_interval", t.ReconnectMaxInterval}, {"lasting_after", lasting},
		{"start_timeout", t.StartTimeout}, {"probe_interval", t.ProbeInterval},
		{"probe_timeout", t.ProbeTimeout}, {"stop_grace", t.StopGrace},
	}
}
