package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rollcall/alert"
	"rollcall/config"
	"rollcall/model"
	"rollcall/redact"
)

func (a *app) failuresCommand() *cobra.Command {
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "failures [NAME]",
		Short: "Read failures.log back, what was set aside and compressed too",
		Long: `failures prints what failures.log has, oldest first: failed attempts, alerts and
recoveries, of all servers or of one, with the end of each server's stderr.`,
		Example: `  rollcall failures
  rollcall failures github --since 2h
  rollcall failures --since 2026-11-30T08:00:00Z --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			from, err := sinceWhen(since, time.Now())
			if err != nil {
				return err
			}
			server := ""
			if len(args) > 0 {
				server = args[0]
			}
			return a.failures(server, from, asJSON)
		},
	}
	c.Flags().StringVar(&since, "since", "", "only what is younger: 30m, 2h, 7d, or a `time` as 2026-11-30T08:00:00Z")
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

func (a *app) failures(server string, from time.Time, asJSON bool) error {
	path, err := a.failuresLog()
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a reader that has had enough is no failure
	out := bufio.NewWriter(a.out)
	var wrote error
	n := 0
	unread, err := alert.Read(path, func(r alert.Record) bool {
		switch {
		case r.At.Before(from), server != "" && r.Server != server && r.Kind != alert.Gap:
			return true
		case asJSON:
			b, err := json.Marshal(r)
			if err != nil {
				return true // cannot be: it is made of texts and numbers
			}
			_, wrote = out.Write(append(b, '\n'))
		default:
			wrote = writeRecord(out, r)
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
	if n == 0 {
		fmt.Fprintf(a.err, "rollcall: no failures in %s that match\n", redactAll(nil, path))
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

// failuresLog is where the configuration has failures.log. Where there is no
// configuration that can be read, it is where failures.log is by default: a
// broken file must not hide what happened.
func (a *app) failuresLog() (string, error) {
	env := processEnv()
	file := &config.File{LogDir: config.DefaultLogDir(env)}
	path, err := config.Find(a.config, env)
	if err == nil {
		var loaded *config.File
		if loaded, err = config.Load(path, env); err == nil {
			file = loaded
		}
	}
	if err != nil && a.config != "" {
		fmt.Fprintf(a.err, "rollcall: the configuration cannot be read, so the usual folder is looked at\n")
	}
	if file.LogDir == "" {
		return "", failure{exitFailure, errors.New("failures: there is no folder for failures.log: set [log] dir, or HOME")}
	}
	return filepath.Join(file.LogDir, alert.FileName), nil
}

// writeRecord writes a record for a person: a line, and the server's last lines
// below it.
func writeRecord(out *bufio.Writer, r alert.Record) error {
	at := r.At.Local().Format(time.DateTime)
	if r.Kind == alert.Gap {
		_, err := fmt.Fprintf(out, "%s … %d lines are missing here\n", at, r.Lost)
		return err
	}
	fmt.Fprintf(out, "%s %-16s %s\n", at, r.Server, recordText(r))
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
