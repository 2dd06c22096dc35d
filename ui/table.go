package ui

import (
	"slices"
	"strconv"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// table is the list of servers: which are shown, in which order, which one is
// selected, which are marked. The selection is a server, not a place: it stays
// on its server however rows move (D1).
type table struct {
	all   []*model.Row // in the configuration's order
	shown []*model.Row // filtered and sorted

	selected string // the server; empty while there is none
	wanted   string // whom the operator chose: a filter may hide it for a while
	at       int    // its place in shown
	touched  bool   // somebody was here: until then the first row is selected
	top      int    // the first visible place
	marks    map[string]bool

	by      order
	reverse bool
	only    bool // problems only
	filter  string

	layout  layout
	width   int
	longest longest
	alike   string                  // see commonBeginning
	tagsOf  map[*redact.Safe]string // tags joined, while the entry stays the same: see tagsKey

	asOf     time.Time // of the present rows, by the engine's clock
	probedAt time.Time // when a row had a probe to show last

	stopping bool // rollcall is: what it stopped is off, and not by its entry
}

// probeKept is how long the probes' column outlives the last of them: a server
// that comes and goes does not move the others' columns each time.
const probeKept = 10 * time.Minute

func newTable() table {
	return table{marks: map[string]bool{}, tagsOf: map[*redact.Safe]string{}}
}

// set takes the rows of a new snapshot. It reports whether anything that may
// be visible changed: rows that are the same are the same pointers.
func (t *table) set(rows []*model.Row) bool {
	if slices.Equal(t.all, rows) {
		return false
	}
	if !sameServers(t.all, rows) {
		t.alike = commonBeginning(rows)
	}
	t.all = rows
	t.measure()
	t.forgetMarks()
	t.refresh()
	return true
}

// forgetMarks takes the marks off servers that are gone.
func (t *table) forgetMarks() {
	if len(t.marks) == 0 {
		return
	}
	present := make(map[string]bool, len(t.all))
	for _, r := range t.all {
		present[r.Server] = true
	}
	for s := range t.marks {
		if !present[s] {
			delete(t.marks, s)
		}
	}
}

// measure finds the longest name and tags of the whole fleet, so that columns
// do not move while one scrolls.
func (t *table) measure() {
	t.longest = longest{alike: t.alike}
	if slices.ContainsFunc(t.all, probed) {
		t.probedAt = t.asOf
	}
	t.longest.unprobed = t.probedAt.IsZero() || t.asOf.Sub(t.probedAt) > probeKept
	var lasting, wait time.Duration
	tags := make(map[*redact.Safe]string, len(t.all))
	for _, r := range t.all {
		t.longest.name = max(t.longest.name, len(r.Server))
		t.longest.short = max(t.longest.short, len(shortened(r.Server, t.alike))+1)
		lasting = max(lasting, r.Lasting)
		if r.Phase == model.Waiting && !r.Next.IsZero() {
			wait = max(wait, r.Next.Sub(r.Since))
		}
		key := tagsKey(r)
		if key == nil {
			continue
		}
		joined, known := t.tagsOf[key]
		if !known {
			joined = join(r.Tags(), " ")
		}
		tags[key] = joined
		t.longest.tags = max(t.longest.tags, len(joined))
	}
	t.longest.lasting, t.longest.next = len(num(lasting/time.Second)), len(countdown(wait))
	t.tagsOf = tags
	t.resize(t.width)
}

// tagsKey tells one entry's tags from another's without reading them; nil where
// there are none.
func tagsKey(r *model.Row) *redact.Safe {
	if tags := r.Tags(); len(tags) > 0 {
		return &tags[0]
	}
	return nil
}

func (t *table) resize(width int) {
	t.width = width
	t.layout = layoutFor(width, t.longest)
}

// refresh filters and sorts anew, and finds the selected server again. While a
// filter hides it the row that took its place is selected; where it is gone
// altogether it stays so.
func (t *table) refresh() {
	t.shown = t.shown[:0:0]
	pattern := compile(t.filter)
	for _, r := range t.all {
		if (!t.only || isProblem(r)) && pattern.matches(r) {
			t.shown = append(t.shown, r)
		}
	}
	arrange(t.shown, t.by, t.reverse)
	at := indexOf(t.shown, t.wanted)
	if at < 0 {
		at = indexOf(t.shown, t.selected)
	}
	if at < 0 {
		at = clamp(t.at, 0, max(len(t.shown)-1, 0))
	}
	if !t.touched {
		at = 0 // the worst is on the screen before anyone comes
	}
	t.at, t.selected = at, ""
	if r := t.row(); r != nil {
		t.selected = r.Server
	}
	if !t.touched || indexOf(t.all, t.wanted) < 0 {
		t.settle() // what is seen as selected stays so at the first key
	}
}

// indexOf is where a server is among rows, -1 where it is not.
func indexOf(rows []*model.Row, server string) int {
	return slices.IndexFunc(rows, func(r *model.Row) bool { return r.Server == server })
}

// settle makes the selected server the chosen one: a filter that goes away
// leaves the selection here.
func (t *table) settle() {
	if t.selected != "" {
		t.wanted = t.selected
	}
}

// row is the selected row, nil where none is shown.
func (t *table) row() *model.Row {
	if t.at < 0 || t.at >= len(t.shown) {
		return nil
	}
	return t.shown[t.at]
}

// selectAt moves the selection to a place, the nearest there is.
func (t *table) selectAt(i int) {
	t.at, t.selected = clamp(i, 0, max(len(t.shown)-1, 0)), ""
	if r := t.row(); r != nil {
		t.selected = r.Server
	}
	t.settle()
}

// nextProblem moves the selection to the next problem, else to the one before.
// It is D1's exception: an acknowledged row sinks among the quiet ones, and a
// selection that stayed on it would take the view to the table's end. In another
// order no row sinks, and nothing moves.
func (t *table) nextProblem() {
	if t.by != byProblem || t.reverse {
		return
	}
	for _, at := range []int{t.at + 1, t.at - 1} {
		if at >= 0 && at < len(t.shown) && isProblem(t.shown[at]) {
			t.selectAt(at)
			return
		}
	}
}

// targets are the rows that an order means: the marked ones, else the selected
// one, in the order of the configuration.
func (t *table) targets() []*model.Row {
	if len(t.marks) == 0 {
		if r := t.row(); r != nil {
			return []*model.Row{r}
		}
		return nil
	}
	var rows []*model.Row
	for _, r := range t.all {
		if t.marks[r.Server] {
			rows = append(rows, r)
		}
	}
	return rows
}

func (t *table) toggleMark() {
	if r := t.row(); r != nil {
		if t.marks[r.Server] {
			delete(t.marks, r.Server)
		} else {
			t.marks[r.Server] = true
		}
		t.selectAt(t.at + 1)
	}
}

func (t *table) markShown() {
	for _, r := range t.shown {
		t.marks[r.Server] = true
	}
}

// cycleProblems goes from any order to problems first, then problems only.
func (t *table) cycleProblems() {
	if t.by != byProblem || t.reverse {
		t.by, t.reverse, t.only = byProblem, false, false
	} else {
		t.only = !t.only
	}
	t.refresh()
}

// cycleSort goes to the next column that is on the screen.
func (t *table) cycleSort() {
	visible := map[order]bool{byProblem: true}
	for _, f := range t.layout.fields {
		visible[f.order] = true
	}
	for t.by = (t.by + 1) % orders; !visible[t.by]; t.by = (t.by + 1) % orders {
	}
	t.refresh()
}

// scrollTo keeps the selected row among the visible ones.
func (t *table) scrollTo(height int) {
	t.top = clamp(t.top, t.at-height+1, t.at)
	t.top = clamp(t.top, 0, max(len(t.shown)-height, 0))
}

// draw writes the heads and the visible rows, height lines in all.
func (t *table) draw(c *canvas, height int, focused bool, now time.Time) {
	end := c.lines + height
	if height < 1 {
		return
	}
	t.drawHeads(c)
	t.scrollTo(height - 1)
	for i := t.top; i < min(t.top+height-1, len(t.shown)); i++ {
		t.drawRow(c, t.shown[i], i == t.at, focused, now)
	}
	c.until(end)
}

func (t *table) drawHeads(c *canvas) {
	c.fill(t.layout.gutter)
	for i, f := range t.layout.fields {
		text := f.head
		if f.col == colName && len(t.shown) < len(t.all) {
			text = strconv.Itoa(len(t.shown)) + " of " + strconv.Itoa(len(t.all))
		}
		if f.order != t.by {
			c.field(head, text, f.width, f.right)
			c.fill(t.layout.gap)
			continue
		}
		spare := t.layout.spare(i)
		c.field(strong, c.look.cut(text, f.width+spare-1)+t.direction(c.look), f.width+spare, f.right)
		c.fill(t.layout.gap - spare)
	}
	c.end()
}

// spare is 1 where the sort's sign may stand in the gap after a column's head
// without touching the next one's: where the gap has two cells, or blanks stand
// before that.
func (l layout) spare(i int) int {
	if i+1 == len(l.fields) {
		return 0
	}
	if next := l.fields[i+1]; l.gap > 1 || next.right && next.width > len(next.head) {
		return 1
	}
	return 0
}

// direction is the sign of the present order.
func (t *table) direction(l *look) string {
	if t.reverse {
		return l.signs.up
	}
	return l.signs.down
}

// sortText says what the rows are sorted by.
func (t *table) sortText(l *look) string {
	text := "sorted by " + orderNames[t.by] + " " + t.direction(l)
	if t.only {
		text += ", problems only"
	}
	return text
}

// hiddenMarks counts the marked servers that are not shown.
func (t *table) hiddenMarks() int {
	n := len(t.marks)
	for _, r := range t.shown {
		if t.marks[r.Server] {
			n--
		}
	}
	return n
}

func (t *table) drawRow(c *canvas, r *model.Row, selected, focused bool, now time.Time) {
	c.selected(selected)
	defer c.selected(false)
	cursor, mark := "", ""
	if selected {
		cursor = c.look.signs.cursor
	}
	if t.marks[r.Server] {
		mark = c.look.signs.mark
	}
	cursorTone := strong
	if !focused {
		cursorTone = dim
	}
	c.field(cursorTone, cursor, 1, false)
	c.field(note, mark, 1, false)
	c.fill(t.layout.gutter - 2)
	for i, f := range t.layout.fields {
		if i > 0 {
			c.fill(t.layout.gap)
		}
		if f.col == colFailure {
			t.drawLast(c, r, f.width, now)
			continue
		}
		tone, text := t.cell(c.look, f.col, r, now)
		if f.col == colName {
			text = c.look.name(text, t.layout.alike, f.width)
		}
		c.field(tone, text, f.width, f.right)
	}
	c.fill(c.left)
	c.end()
}
