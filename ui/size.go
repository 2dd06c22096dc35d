package ui

import (
	"fmt"
	"io"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
)

// Bounds of the screen: a terminal may say anything of its size, and each cell
// costs memory. Beyond the first two nothing is drawn; what says that it has
// more cells than maxCells cannot be begun with.
const (
	maxWidth  = 1000
	maxHeight = 400
	maxCells  = 4 << 20
)

// withinBounds is Bubble Tea's filter: a size that is too large is made less
// before anyone sees it.
func withinBounds(_ tea.Model, msg tea.Msg) tea.Msg {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		return tea.WindowSizeMsg{Width: min(size.Width, maxWidth), Height: min(size.Height, maxHeight)}
	}
	return msg
}

// checkSize refuses a terminal whose size at the start cannot be true: Bubble
// Tea holds all of its cells before anyone can say less.
func checkSize(out io.Writer) error {
	if out == nil {
		out = os.Stdout
	}
	f, ok := out.(interface{ Fd() uintptr })
	if !ok {
		return nil
	}
	width, height, err := term.GetSize(f.Fd())
	if err != nil || width*height <= maxCells { // no terminal: Bubble Tea says so
		return nil
	}
	return fmt.Errorf("show the dashboard: the terminal says that it has %d×%d cells, which cannot be: `stty cols 80 rows 24` sets its size", width, height)
}
