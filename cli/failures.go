package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/alert"
	"rollcall/bus"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
)

func (a *app) failuresCommand() *cobra.Command {
	var since string
	var asJSON, all bool
	c := &cobra.Command{
		Use:   "failures [NAME]",
		Short: "Read failures.log back, what was set aside and compressed too",
		Long: `failures prints what failures.log has, oldest first: failed attempts, alerts and
recoveries, of all servers or of one, with the end of each server's stderr. Where
several configurations share the folder, it prints those of the one in use, and
lines of older versions, which do not say whose they are; --all prints all.`,
		Example: `  rollcall failures
  rollcall failures github --since 2h
  rollcall failures --since 2026-11-30T08:00:00Z --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			from, err := sinceWhen(since, time.Now())
			if err != nil {
				return err
			}
			want := wanted{from: from, all: all}
			if len(args) > 0 {
				want.server = args[0]
			}
			return a.failures(want, asJSON)
		},
	}
	c.Flags().StringVar(&since, "since", "", "only what is younger: 30m, 2h, 7d, or a `time` as 2026-11-30T08:00:00Z")
	c.Flags().BoolVar(&all, "all", false, "those of all configurations that share the folder")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, as failures.log has it")
	return c
}

// sinceWhen reads --since; the zero time for none.
func sinceWhen(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, usage("--since takes 30m, 2h, 7d, or a time as 2026-11-30T08:00:00Z")
}

// wanted is which records are printed.
type wanted struct {
	from    time.Time
	server  string        // empty: of all
	configs []redact.Safe // the names of the configuration in use; nil: none is known
	all     bool          // those of other configurations too
}

// has reports whether a record is printed; other, that it is not since it is of
// another configuration. One that does not say whose it is may be of this one.
func (w wanted) has(r alert.Record) (has, other bool) {
	switch {
	case r.At.Before(w.from), w.server != "" && r.Server != w.server && r.Kind != alert.Gap:
		return false, false
	case w.all, len(w.configs) == 0, r.Config.IsZero(), slices.Contains(w.configs, r.Config):
		return true, false
	}
	return false, true
}

func (a *app) failures(want wanted, asJSON bool) error {
	log, err := a.failuresLog()
	if err != nil {
		return err
	}
	want.configs = log.configs
	signal.Ignore(syscall.SIGPIPE) // a reader that has had enough is no failure
	out := bufio.NewWriter(a.out)
	var wrote error
	n, others := 0, 0
	unread, err := alert.Read(log.path, func(r alert.Record) bool {
		switch has, other := want.has(r); {
		case other:
			others++
			return true
		case !has:
			return true
		case asJSON:
			b, err := json.Marshal(r)
			if err != nil {
				return true // cannot be: it is made of texts and numbers
			}
			_, wrote = out.Write(append(b, '\n'))
		default:
			wrote = writeRecord(out, r, want.all)
		}
		n++
		return wrote == nil
	})
	if wrote == nil {
		wrote = out.Flush()
	}
	switch {
	case errors.Is(wrote, syscall.EPIPE): // head has had enough
		return nil
	case wrote != nil:
		return failure{exitFailure, fmt.Errorf("failures: %w", wrote)}
	case err != nil:
		return failure{exitFailure, fmt.Errorf("failures: %w", err)}
	}
	if unknown := log.unknown(want.server); unknown != "" && (n == 0 || !want.all) {
		fmt.Fprintf(a.err, "rollcall: %s\n", redactAll(nil, unknown))
	}
	if n == 0 {
		fmt.Fprintf(a.err, "rollcall: no failures in %s that match\n", redactAll(nil, log.path))
	}
	if others > 0 {
		fmt.Fprintf(a.err, "rollcall: %s of other configurations not shown: --all shows all\n", count(others, "line"))
	}
	return a.sayUnread(unread)
}

// sayUnread says what of failures.log is not shown. That of a file it is not
// known how much is an error.
func (a *app) sayUnread(u alert.Unread) error {
	if u.Lines > 0 {
		fmt.Fprintf(a.err, "rollcall: %s of failures.log could not be read\n", count(u.Lines, "line"))
	}
	if len(u.Files) == 0 {
		return nil
	}
	for _, f := range u.Files {
		fmt.Fprintf(a.err, "rollcall: %s could not be read to its end, after %s: %s\n", f.Name, count(f.Records, "record"), f.Why)
	}
	return failure{exitFailure, fmt.Errorf("failures: %s not read to the end: an unknown number of failures is not shown", count(len(u.Files), "file"))}
}

// failuresLog is where failures.log is, and whose lines are looked for there.
type failuresLog struct {
	path    string
	configs []redact.Safe // the names that the configuration may have there
	config  string        // the configuration
	file    *config.File  // as it was read; nil where it could not be
}

// unknown says that the configuration has no such server; "" where it has, or
// where that is not known. Lines of one that was removed are there all the same.
func (l failuresLog) unknown(server string) string {
	if server == "" || l.file == nil {
		return ""
	}
	var names []string
	for _, e := range l.file.Entries {
		names = append(names, e.Name)
	}
	switch {
	case slices.Contains(names, server):
		return ""
	case len(names) == 0:
		return fmt.Sprintf("no server %s in %s: it has none", server, l.config)
	}
	return fmt.Sprintf("no server %s in %s: the nearest known one is %s", server, l.config, config.Nearest(server, names))
}

// failuresLog finds failures.log by the configuration. Where there is none that
// can be read, it is where failures.log is by default: a broken file must not hide
// what happened.
func (a *app) failuresLog() (failuresLog, error) {
	env := processEnv()
	var l failuresLog
	dir := config.DefaultLogDir(env)
	path, err := config.Find(a.config, env)
	if err == nil {
		l.config, l.configs = path, []redact.Safe{configName(path), configName(bus.Canonical(path))}
		if l.file, err = config.Load(path, env); err == nil {
			dir = l.file.LogDir
		}
	}
	if err != nil && a.config != "" {
		fmt.Fprintf(a.err, "rollcall: the configuration cannot be read, so the usual folder is looked at\n")
	}
	if dir == "" {
		return l, failure{exitFailure, errors.New("failures: there is no folder for failures.log: set [log] dir, or HOME")}
	}
	l.path = filepath.Join(dir, alert.FileName)
	return l, nil
}

// configName is the configuration's name in failures.log: its path, the links to
// its folder resolved. Its last element may be a link that leads elsewhere
// tomorrow, and is still the same configuration.
func configName(path string) redact.Safe {
	if p, err := filepath.Abs(path); err == nil {
		path = p
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return (*redact.Redactor)(nil).Text(path)
}

// writeRecord writes a record for a person: a line, with its configuration where
// that is asked for, and the server's last lines below it.
func writeRecord(out *bufio.Writer, r alert.Record, whose bool) error {
	at, of := r.At.Local().Format(time.DateTime), ""
	if whose && !r.Config.IsZero() {
		of = " (" + r.Config.String() + ")"
	}
	if r.Kind == alert.Gap {
		_, err := fmt.Fprintf(out, "%s … %d lines are missing here%s\n", at, r.Lost, of)
		return err
	}
	fmt.Fprintf(out, "%s %-16s %s%s\n", at, r.Server, recordText(r), of)
	for _, line := range r.Stderr {
		fmt.Fprintf(out, "%s | %s\n", strings.Repeat(" ", len(at)+len(r.Server)), line)
	}
	return out.Flush() // so that a reader that has had enough is noticed
}

// recordText is what happened, in words.
func recordText(r alert.Record) redact.Safe {
	text := redact.Name(r.Kind)
	if r.Attempt.Ok {
		text = redact.Sprintf("%s (attempt %d)", text, redact.Int(r.Attempt.V))
	}
	if !r.Error.IsZero() {
		text = redact.Sprintf("%s: %s", text, r.Error)
	}
	if r.Elapsed.Ok {
		text = redact.Sprintf("%s, after %s", text, model.Span(r.Elapsed.V.D()))
	}
	if r.RetryIn.Ok {
		text = redact.Sprintf("%s; next try in %s", text, model.Span(r.RetryIn.V.D()))
	}
	return text
}
