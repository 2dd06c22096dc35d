package ui

import (
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// paced is a model that ends at its first frame, and keeps the ticker it found.
type paced struct {
	program *tea.Program
	found   *time.Ticker
}

func (p *paced) Init() tea.Cmd                       { return tea.Quit }
func (p *paced) Update(tea.Msg) (tea.Model, tea.Cmd) { return p, nil }
func (p *paced) View() tea.View {
	p.found = tickerOf(p.program)
	return tea.NewView("")
}

// TestTheRenderersPaceCanBeSet fails with a Bubble Tea that has no such ticker
// any more: an idle screen costs twice as much then, and a key is seen later.
func TestTheRenderersPaceCanBeSet(t *testing.T) {
	m := &paced{}
	m.program = tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler())
	if _, err := m.program.Run(); err != nil {
		t.Fatal(err)
	}
	if m.found == nil {
		t.Error("the renderer's ticker was not found")
	}
}
