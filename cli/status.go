package cli

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"rollcall/model"
	"rollcall/redact"
)

func (a *app) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "How the servers of the running engine are; exit 1 where a wanted one is not up or settling",
		Long: `status prints a row for each server of the running engine, what is wrong first.

It exits with 0 if every server that is wanted is up or settling, with 1 if one
is not, and with 3 where no engine answers. Not wanted is one that is off, or that
ended as it was asked to.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.status(asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line, a line a server")
	return a.needsEngine(c)
}

func (a *app) status(asJSON bool) error {
	client, err := a.reachWithin(statusLimit, "status", true)
	if err != nil {
		return unanswered(err)
	}
	defer client.Close()
	fleet, err := fleetWithin(statusLimit, "status", client)
	if err != nil {
		return unanswered(err)
	}
	out := bufio.NewWriter(a.out)
	if asJSON {
		err = statusLines(out, fleet)
	} else {
		if note := client.Differs(); !note.IsZero() {
			fleet.Warnings = append(slices.Clip(fleet.Warnings), note)
		}
		err = statusTable(out, paintFor(a.out), fleet, widthOf(a.out))
	}
	if err == nil {
		err = out.Flush()
	}
	if err := wrote("status", err); err != nil {
		return err
	}
	if slices.ContainsFunc(fleet.Rows, amiss) {
		return failure{code: exitFailure}
	}
	return nil
}

// statusLimit is how long an engine may take to let status in, and to answer it:
// what watches it should not hang.
const statusLimit = 2 * time.Second

// unanswered makes whatever kept status from an answer exit 3: 1 says of servers
// that they are not up, and nothing is known of them.
func unanswered(err error) error {
	var f failure
	if errors.As(err, &f) {
		f.code = exitNoEngine
		return f
	}
	return err
}

// amiss reports whether a server is wanted and neither up nor settling. One that
// ended as asked is not wanted any more: it has no episode (H3).
func amiss(r *model.Row) bool {
	switch r.Phase {
	case model.Up, model.Settling, model.Off:
		return false
	case model.Ended:
		return !r.DownSince.IsZero()
	}
	return true
}

// statusLine is a row in the JSON output (X3).
type statusLine struct {
	At          string                     `json:"at"`
	Event       string                     `json:"event"` // status
	Server      string                     `json:"server"`
	Run         uint64                     `json:"run"`
	Phase       model.Phase                `json:"phase"`
	Since       string                     `json:"since"`
	Attempt     int                        `json:"attempt"`
	Next        string                     `json:"next,omitempty"`
	Starts      int                        `json:"starts"`
	Transport   model.Opt[model.Transport] `json:"transport,omitzero"`
	Protocol    model.Opt[model.Protocol]  `json:"protocol,omitzero"`
	PID         int                        `json:"pid,omitempty"`
	Revision    redact.Safe                `json:"revision,omitzero"`
	ServerInfo  redact.Safe                `json:"server_info,omitzero"`
	Tools       model.Opt[int]             `json:"tools,omitzero"`
	Tags        []redact.Safe              `json:"tags,omitempty"`
	LastFailure redact.Safe                `json:"last_failure,omitzero"`
	DownSince   string                     `json:"down_since,omitempty"`
	AckedBy     redact.Safe                `json:"acked_by,omitzero"`
	HeldBy      redact.Safe                `json:"held_by,omitzero"`
	Note        redact.Safe                `json:"note,omitzero"`
}

// statusLines writes a JSON object a server, in the configuration's order.
func statusLines(out *bufio.Writer, fleet model.Fleet) error {
	enc := json.NewEncoder(out)
	for _, r := range fleet.Rows {
		l := statusLine{At: model.Stamp(fleet.At), Event: "status", Server: r.Server, Run: r.Run, Phase: r.Phase, Since: stampOf(r.Since), Attempt: r.Attempt,
			Next: stampOf(r.Next), Starts: r.Starts, PID: r.PID, Tools: r.Tools, LastFailure: r.LastFailure, DownSince: stampOf(r.DownSince),
			AckedBy: r.AckedBy, HeldBy: r.HeldBy, Note: r.Note, Tags: r.Tags()}
		if t, known := r.Via(); known {
			l.Transport = model.Some(t)
		}
		if r.Shown != nil {
			l.Protocol = model.Some(r.Protocol)
		}
		if h := r.Handshake; h != nil {
			l.Revision, l.ServerInfo = h.Revision, h.Server
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

// stampOf is a time as every other is written; empty where there is none.
func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return model.Stamp(t)
}

// statusTable writes the rows as a person reads them, what is wrong first, in
// lines of at most width columns; 0 for any.
func statusTable(out *bufio.Writer, paint paint, fleet model.Fleet, width int) error {
	fmt.Fprintf(out, "%s · %s: %s\n", fleet.Host, filepath.Base(fleet.Config.String()), census(fleet))
	for _, warning := range warningsOf(fleet) {
		fmt.Fprintln(out, paint.yellow("! "+warning.String()))
	}
	if len(fleet.Rows) == 0 {
		return nil
	}
	rows := slices.Clone(fleet.Rows)
	slices.SortStableFunc(rows, func(a, b *model.Row) int { return cmp.Compare(rank(a), rank(b)) })
	lines := &lineCutter{out: out, width: width}
	t := tabwriter.NewWriter(lines, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SERVER\tPHASE\tATTEMPT\tNEXT RETRY\tFOR\tLAST FAILURE, OR NOTE")
	for _, r := range rows {
		next := "–"
		if !r.Next.IsZero() {
			next = brief(r.Next.Sub(fleet.At))
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\t%s\t%s\n", redact.Name(r.Server), r.Phase, r.Attempt, next, brief(fleet.At.Sub(r.Since)), remark(r))
	}
	return t.Flush()
}

// warningsOf is what an operator must know of rollcall itself.
func warningsOf(fleet model.Fleet) []redact.Safe {
	warnings := slices.Clone(fleet.Warnings)
	if !fleet.Note.IsZero() {
		warnings = append(warnings, fleet.Note)
	}
	if fleet.Waits != (model.Waits{}) {
		warnings = append(warnings, redact.Sprintf("the configuration was saved, not applied yet: %s: rollcall reload shows it", fleet.Waits.Text()))
	}
	return warnings
}

// rank sorts what is wrong before what is being done, and that before the rest.
func rank(r *model.Row) int {
	switch {
	case !r.DownSince.IsZero(), r.Phase == model.Halted, r.Phase == model.Refused:
		return 0
	case r.Phase == model.Waiting:
		return 1
	case amiss(r):
		return 2
	case r.Phase == model.Settling:
		return 3
	case r.Phase == model.Up:
		return 4
	}
	return 5
}

// keyed are the dashboard's keys in a note and in a failure, with the commands
// that do the same.
var keyed = []struct{ key, command string }{
	{", then c", ", then rollcall connect "},
	{"; then c", "; then rollcall connect "},
	{": c connects", ": rollcall connect "},
	{": r applies it", ": rollcall restart "},
}

// spelled is a text of a row with the command in the place of the key.
func spelled(server string, text redact.Safe) redact.Safe {
	for _, k := range keyed {
		before, after, found := strings.Cut(text.String(), k.key)
		if found && (after == "" || strings.HasPrefix(after, ";") || strings.HasPrefix(after, " (")) {
			return (*redact.Redactor)(nil).Text(before + k.command + server + after)
		}
	}
	return text
}

// remark is what a row says beside its numbers.
func remark(r *model.Row) redact.Safe {
	switch {
	case !r.Note.IsZero():
		return spelled(r.Server, r.Note)
	case r.Phase == model.Off && !r.HeldBy.IsZero():
		return redact.Sprintf("disconnected by %s", r.HeldBy)
	case r.LastFailure.IsZero():
		return redact.Word("–")
	}
	return spelled(r.Server, r.LastFailure)
}

// brief is a time in one or two units: 48s, 13m, 2h04m, 3d.
func brief(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// widthOf is the width of a terminal; 0 where w is none.
func widthOf(w any) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// lineCutter writes whole lines, each cut to width columns.
type lineCutter struct {
	out   *bufio.Writer
	width int
	line  []byte
}

func (c *lineCutter) Write(b []byte) (int, error) {
	for _, x := range b {
		if x != '\n' {
			c.line = append(c.line, x)
			continue
		}
		line := string(c.line)
		c.line = c.line[:0]
		if c.width > 0 {
			line = ansi.Truncate(line, c.width, "…")
		}
		if _, err := c.out.WriteString(line + "\n"); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}
