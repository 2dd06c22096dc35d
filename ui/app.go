package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rollcall/model"
)

// mode is who gets the keys.
type mode uint8

const (
	browsing mode = iota
	filtering
	searching
	asking
	helping
)

// app is the whole dashboard: Bubble Tea's model. All of it belongs to the
// program's goroutine.
type app struct {
	engine    Engine
	opts      Options
	wait      func() tea.Msg   // for the next snapshot
	touch     func()           // a key was touched: snapshots are wanted at once
	now       func() time.Time // the clock; a test's own
	of        traits           // of the terminal; zero until it says more
	look      *look
	keys      keymap
	pace      *pace // nil without a terminal
	gate      *gate // likewise
	budget    budget
	jobs      jobs
	linesRest time.Duration // the bound; a test's own

	width, height int
	fleet         model.Fleet
	have          bool   // a snapshot has come
	lost          string // why the engine cannot be read
	lostAt        time.Time
	attended      time.Time // when a key was touched last; at first, when there was something to see
	deaf          time.Time // until when keys belong to an escape that meant nothing
	stop          stopping
	backAt        time.Time // when the shell gave the terminal back last
	skew          time.Duration
	ownLine       time.Time // until when the header's counts keep a line of their own
	census        census

	table    table
	pane     pane
	day      timeline // the fleet's
	dayRow   dayRow
	ledger   ledger
	heard    heard // what others ordered
	changed  bool  // rows, since events were last looked through
	focus    place
	mode     mode
	input    input
	question question
	said     string // by the dashboard itself, until the next key
	awaits   bool   // what a reload would do, until the next key
	dragging bool   // the divider

	helpTop  int // the first line of the help that is shown,
	helpMore int // and how many do not fit

	places places
	frame  string
	stale  bool // the frame no longer shows what is true
}

// places is where things are on the screen, in lines from the top.
type places struct{ table, tableHeight, pane, paneHeight int }

func newApp(e Engine, opts Options, wait func() tea.Msg, touch func()) *app {
	return &app{engine: e, opts: opts, wait: wait, touch: touch, now: time.Now, look: newLook(opts, traits{}), keys: defaultKeys.with(opts.Keys), budget: lineBudget(), jobs: newJobs(), linesRest: linesRest,
		table: newTable(), pane: newPane(), ledger: newLedger(), focus: inTable, stale: true}
}

// tickMsg comes at each full second: clock and countdowns go on.
type tickMsg struct{}

// Init starts the clock and waits for the first snapshot.
func (a *app) Init() tea.Cmd {
	return guarded(tea.Batch(a.wait, a.tick(), synchronised, tea.RequestBackgroundColor))
}

// tick waits for the next full second, so that all that counts changes at
// once, and the terminal is written to once a second at most while all is
// quiet.
func (a *app) tick() tea.Cmd {
	now := a.now()
	return tea.Tick(time.Second-time.Duration(now.Nanosecond())+time.Millisecond, func(time.Time) tea.Msg { return tickMsg{} })
}

// clock is the time, floored to the second: all that a frame shows is as of
// one instant. The monotonic reading is kept.
func (a *app) clock() time.Time {
	now := a.now()
	return now.Add(-time.Duration(now.Nanosecond()))
}

// attention is how long after a key somebody is taken to look at the screen.
const attention = time.Minute

// attend notes that somebody is there.
func (a *app) attend() {
	a.attended = a.now()
	a.touch()
}

// clockText is the clock, of one width. Its seconds are for who is there: a
// screen that nobody has touched for a while, and on which nothing counts, stays
// as it is for a minute. Each frame costs more than all else that is done then.
func (a *app) clockText() string {
	now := a.clock()
	if now.Sub(a.attended) < attention {
		return now.Format(time.TimeOnly)
	}
	return now.Format("   15:04")
}

// engineNow is the clock of the engine's host. It stands still while the engine
// is lost: countdowns that nobody counts would be guesses (D8).
func (a *app) engineNow() time.Time {
	if a.lost != "" {
		return a.lostAt.Add(-a.skew)
	}
	return a.clock().Add(-a.skew)
}

// Update takes one message. It neither blocks nor does I/O.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return a, guarded(a.update(msg)) }

func (a *app) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case panicked:
		panic(msg)
	case fleetMsg:
		return tea.Batch(a.takeFleet(msg.fleet), a.wait)
	case lostMsg:
		a.takeLost(msg.err)
		return a.wait
	case jobMsg:
		return a.takeJob(msg)
	case stopMsg:
		return a.beginStop()
	case leaveMsg:
		return a.leaveServing()
	case stoppedMsg:
		return tea.Quit
	case leftMsg:
		return a.takeLeft(msg.err)
	case tickMsg:
		a.stale = true
		return tea.Batch(a.tick(), a.retake(), a.fetchAnswers(), a.fetch()) // an answer need not change a row
	case linesMsg, restedMsg, historyMsg, usageMsg, dayMsg, answersMsg:
		return a.takeFetched(msg)
	case savedMsg:
		a.takeSaved(msg)
	case pendingMsg:
		a.takePending(msg.reload)
	case reloadedMsg:
		a.takeReloaded(msg)
	case tea.KeyPressMsg:
		a.stale = true
		a.attend()
		return a.key(msg)
	case tea.PasteMsg:
		if a.mode == filtering || a.mode == searching {
			a.stale = true
			a.input.paste(msg.Content)
			return a.typed()
		}
	case tea.MouseMsg:
		a.attend()
		return a.mouse(msg)
	default:
		a.terminal(msg)
	}
	return nil
}

// oneLine keeps a text from outside within its line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// terminal takes what the terminal says of itself.
func (a *app) terminal(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height, a.ownLine = msg.Width, msg.Height, time.Time{}
		a.table.resize(a.width)
	case tea.BackgroundColorMsg:
		if a.of.back = light; msg.IsDark() {
			a.of.back = dark
		}
		a.look = newLook(a.opts, a.of)
	case tea.ColorProfileMsg:
		a.of.few = msg.Profile == colorprofile.ANSI
		a.look = newLook(a.opts, a.of)
	case tea.ModeReportMsg:
		known := msg.Value == ansi.ModeReset || msg.Value == ansi.ModeSet || msg.Value == ansi.ModePermanentlySet
		if msg.Mode != ansi.ModeUnicodeCore || !known || a.look.ascii {
			return
		}
		a.of.cells = ansi.GraphemeWidth
		a.look = newLook(a.opts, a.of)
	default:
		return
	}
	a.stale = true
}

// maxSkew is how far an engine's clock may seem to be off before it counts as
// another host's: below it the difference is the snapshot's own journey.
const maxSkew = 2 * time.Second

// takeLost keeps why the engine cannot be read, and since when.
func (a *app) takeLost(err error) {
	if a.stop != goingOn { // what is being stopped ends so
		return
	}
	if a.lost == "" {
		a.lostAt = a.clock()
	}
	a.lost, a.stale = oneLine(a.opts.redact(err.Error())), true
}

// takeFleet takes a snapshot: rows come from here alone (D8).
func (a *app) takeFleet(f model.Fleet) tea.Cmd {
	if skew := a.now().Sub(f.At); skew.Abs() < maxSkew {
		a.skew = 0
	} else if (skew - a.skew).Abs() >= time.Second {
		a.skew = skew.Round(time.Second)
	}
	old := a.fleet
	a.fleet = f
	a.table.asOf = f.At
	a.table.stopping, a.pane.stopping = f.Stopping, f.Stopping
	if !a.have {
		a.attended = a.now()
	}
	if !a.have || a.lost != "" || old.Note != f.Note || old.Waits != f.Waits || !slices.Equal(old.Warnings, f.Warnings) || old.Stopping != f.Stopping || old.Host != f.Host || old.Config != f.Config {
		a.stale = true
	}
	if a.lost != "" { // what comes back may be another engine, which counts anew
		a.pane.show("")
		a.ledger.after = 0
	}
	a.have, a.lost = true, ""
	selected := a.table.row()
	if a.table.set(f.Rows) {
		a.census = count(f.Rows)
		a.changed = true
		if a.table.row() != selected || !slices.EqualFunc(old.Rows, f.Rows, sameAtAGlance) {
			a.stale = true
		}
	}
	return tea.Batch(a.fetch(), a.fetchAnswers())
}

// View is the screen. It is built anew only where something changed.
func (a *app) View() tea.View {
	if a.stale {
		frame := a.draw()
		if a.stale = false; frame != a.frame {
			a.frame = frame
			a.pace.frame()
		}
		if a.have && a.opts.Shown != nil {
			go a.opts.Shown()
			a.opts.Shown = nil
		}
	}
	v := tea.NewView(a.frame)
	v.AltScreen = true
	if !a.opts.NoMouse && !a.pane.zoomed { // there the terminal's own selection works
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}
