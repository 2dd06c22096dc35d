package ui

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// lies tells of a size that the screen has not, and says so even where it is the
// one from before.
func (x *terminal) lies(width, height uint16) {
	x.t.Helper()
	x.Claim(width, height)
	x.Signal(syscall.SIGWINCH)
}

func TestATerminalThatLiesAboutItsSize(t *testing.T) {
	t.Parallel()
	x := start(t, "plain", 80, 24)
	x.Shows("notes")
	for _, size := range [][2]uint16{{1, 1}, {0, 0}, {65535, 65535}, {3, 2000}, {2000, 3}, {80, 24}, {10000, 10000}} {
		x.lies(size[0], size[1]) // while it draws the one before
	}
	x.lies(80, 24)
	x.Until("the whole screen", func(s string) bool {
		return strings.Contains(s, "edge-7") && strings.Contains(s, "q detach") && strings.Contains(s, "notes")
	})
	x.Types("jq")
	x.Shows("ended well")
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
	x.Shows("ready>")
	x.lies(10000, 10000)
	x.Types(asDashboard + "=plain " + os.Args[0] + "\n")
	x.Shows("10000×10000 cells, which cannot be")
	x.Types("exit\n")
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
