package ui

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
)

// resize gives the terminal another size; the emulator's own stays.
func (x *terminal) resize(width, height uint16) {
	x.t.Helper()
	if err := pty.Setsize(x.master, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		x.t.Fatal(err)
	}
	_ = x.cmd.Process.Signal(syscall.SIGWINCH)
}

func TestATerminalThatLiesAboutItsSize(t *testing.T) {
	t.Parallel()
	x := start(t, "plain", 80, 24)
	x.shows("notes")
	for _, size := range [][2]uint16{{1, 1}, {0, 0}, {65535, 65535}, {3, 2000}, {2000, 3}, {80, 24}, {10000, 10000}} {
		x.resize(size[0], size[1]) // while it draws the one before
	}
	x.resize(80, 24)
	x.until("the whole screen", func(s string) bool {
		return strings.Contains(s, "edge-7") && strings.Contains(s, "q detach") && strings.Contains(s, "notes")
	})
	x.types("jq")
	x.shows("ended well")
	x.ended()
}

// TestASizeThatCannotBe is refused before anything is drawn or held.
func TestASizeThatCannotBe(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	x := startCommand(t, exec.Command(bash, "--norc", "--noprofile", "--noediting", "-i"), 100, 24, "PS1=ready> ")
	x.shows("ready>")
	x.resize(10000, 10000)
	x.types(asDashboard + "=plain " + os.Args[0] + "\n")
	x.shows("10000×10000 cells, which cannot be")
	x.types("exit\n")
	x.ended()
}

func TestSizesAreBounded(t *testing.T) {
	got := withinBounds(nil, tea.WindowSizeMsg{Width: 65535, Height: 2000})
	if want := (tea.WindowSizeMsg{Width: maxWidth, Height: maxHeight}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := withinBounds(nil, tickMsg{}); got != (tickMsg{}) {
		t.Errorf("another message became %v", got)
	}
}
