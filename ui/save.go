package ui

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// savedMsg says what became of writing the pane to a file.
type savedMsg struct {
	text string
	err  error
}

// save writes all that the pane's view holds to a new file in the working
// directory, which its owner alone may read.
func (a *app) save() tea.Cmd {
	p := a.page()
	if len(p.entries) == 0 {
		a.said = "nothing to write"
		return nil
	}
	var b strings.Builder
	for _, e := range p.entries {
		b.WriteString(strings.TrimRight(e.head+e.text, " "))
		b.WriteByte('\n')
	}
	name := fmt.Sprintf("%s-%s-%s.log", a.pane.server, viewNames[a.pane.view], a.now().Format("20060102-150405"))
	lines := several(len(p.entries), "line")
	return func() tea.Msg {
		return savedMsg{"wrote " + lines + " to " + name, writeNew(name, b.String())}
	}
}

// writeNew writes a file that must not exist yet.
func writeNew(name, text string) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	_, err = f.WriteString(text)
	return err
}

// takeSaved says it in the footer.
func (a *app) takeSaved(m savedMsg) {
	a.said, a.stale = m.text, true
	if m.err != nil {
		a.said = "not written: " + oneLine(a.opts.redact(m.err.Error()))
	}
}
