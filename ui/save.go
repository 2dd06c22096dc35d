package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
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
	name := fmt.Sprintf("%s-%s-%s", a.pane.server, viewNames[a.pane.view], a.now().Format("20060102-150405"))
	lines := several(len(p.entries), "line")
	return func() tea.Msg {
		as, err := writeNew(name, ".log", b.String())
		return savedMsg{"wrote " + lines + " to " + as, err}
	}
}

// maxSaves is how many files of one second have a name.
const maxSaves = 100

// writeNew writes a file that does not exist yet, and returns its name: where
// name is taken, as within one second, name-2, name-3 and so on.
func writeNew(name, ending, text string) (as string, err error) {
	var f *os.File
	as = name + ending
	for n := 2; ; n++ {
		f, err = os.OpenFile(as, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) || n > maxSaves {
			break
		}
		as = name + "-" + strconv.Itoa(n) + ending
	}
	if err != nil {
		return as, err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	_, err = f.WriteString(text)
	return as, err
}

// takeSaved says it in the footer.
func (a *app) takeSaved(m savedMsg) {
	a.said, a.stale = m.text, true
	if m.err != nil {
		a.said = "not written: " + oneLine(a.opts.redact(m.err.Error()))
	}
}
