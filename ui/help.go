package ui

import (
	"slices"
	"strings"

	"rollcall/model"
)

// drawHelp writes the keymap and the phases, in as many columns as fit, height
// lines in all.
func (a *app) drawHelp(c *canvas, height int) {
	const wide = 40
	end := c.lines + height
	items := a.helpItems()
	columns := clamp(a.width/wide, 1, 3)
	indent, keys := 2, 10
	for _, it := range items { // arrows in words are wider
		if a.look.width(it.key.text) > keys {
			indent, keys = 1, a.look.width(it.key.text)+1
		}
	}
	perColumn := max((len(items)+columns-1)/columns, 1)
	a.helpMore = max(perColumn-height, 0)
	a.helpTop = clamp(a.helpTop, 0, a.helpMore)
	chunks := slices.Collect(slices.Chunk(items, perColumn))
	for line := a.helpTop; line < perColumn && c.lines < end; line++ {
		for i, chunk := range chunks {
			if line >= len(chunk) {
				continue
			}
			c.fill(i*(a.width/columns) - (c.width - c.left))
			it := &chunk[line]
			c.fill(indent)
			c.field(it.key.tone, it.key.text, keys, false)
			c.put(plain, a.look.cut(it.said(), max(a.width/columns-indent-keys, 0)))
		}
		c.end()
	}
	c.until(end)
}

// helpKey moves the help where it is longer than the screen; any other key
// leaves it.
func (a *app) helpKey(do action) {
	n, moves := map[action]int{moveUp: -1, moveDown: 1, pageUp: -a.height / 2, pageDown: a.height / 2, toFirst: -a.helpMore, toLast: a.helpMore}[do]
	if a.helpMore == 0 || !moves {
		a.mode, a.helpTop = browsing, 0
		return
	}
	a.helpTop = clamp(a.helpTop+n, 0, a.helpMore)
}

type helpItem struct {
	key    piece
	text   string
	others string // keys that do the same, beside those of key
}

// also adds keys that do the same.
func (it *helpItem) also(keys string) { it.others = strings.TrimSpace(it.others + " " + keys) }

// said is its text.
func (it *helpItem) said() string {
	if it.others == "" {
		return it.text
	}
	return it.text + "; " + it.others
}

// helpItems is a line for each key, then one for each phase.
func (a *app) helpItems() []helpItem {
	var items []helpItem
	for i := range a.keys {
		b := &a.keys[i]
		label, others := a.look.signs.arrows.Replace(b.label), a.look.signs.arrows.Replace(b.others())
		text := b.help
		if b.do == doQuit && !a.opts.HoldsEngine {
			text = "detach, the servers go on"
		}
		if b.help == "" {
			items[len(items)-1].key.text += " " + label
		} else {
			items = append(items, helpItem{key: piece{note, label}, text: text})
		}
		items[len(items)-1].also(others)
		if b.do == openFilter {
			for _, w := range filterWords {
				items = append(items, helpItem{key: piece{note, " " + w.form}, text: w.help})
			}
		}
	}
	for _, p := range phaseOrder {
		items = append(items, helpItem{key: piece{phaseTones[p], a.look.phases[p]}, text: p.String() + ": " + phaseHelp[p]})
	}
	return append(items, helpItem{key: piece{bad, a.look.signs.downFor}, text: "in FOR: down for so long"})
}

// filterWords are what a filter may be made of, beside plain words. Help and
// README say it from here.
var filterWords = []struct{ form, help, manual string }{
	{"tag:x", "has tag x; tag:x* begins so", "in a filter: has exactly the tag x; `tag:x*`: one that begins so"},
	{"phase:x", "is in phase x; down, acked", "in a filter: is in phase x, which may be begun; `phase:down`: an episode is open; `acked`: it was acknowledged"},
	{"!word", "has it not; !tag:x likewise", "in a filter: does not have the word as it is written; `!tag:x`, `!phase:x` likewise"},
}

var phaseHelp = [model.Phases]string{
	model.Off: "not wanted", model.Queued: "waits for a slot", model.Starting: "attempt in flight",
	model.Settling: "not lasted yet", model.Up: "connected and lasted", model.Waiting: "will be retried",
	model.Stopping: "is being closed", model.Ended: "reconnect is off", model.Halted: "no retry, see why",
	model.Refused: "its entry is bad",
}
