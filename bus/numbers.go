package bus

import "rollcall/model"

// localBits of an event's Seq number what no engine told, between what engines
// told.
const localBits = 16

// numbers keeps the counts of lines and events growing over engines: another
// one counts from 1, and whoever reads on from where it was would see nothing
// for a long time. It is guarded by the client's lock.
type numbers struct {
	lines     map[string]uint64 // base of each server's lines; 0 with the first engine
	lastLines map[string]uint64 // the highest that was shown
	events    uint64            // base of events
	lastEvent uint64            // the highest that was shown, without localBits
	locals    uint64            // since then
}

// rebase lets the counts of another engine follow those of the last.
func (n *numbers) rebase() {
	n.lines = n.lastLines
	n.lastLines = make(map[string]uint64, len(n.lines))
	for server, at := range n.lines {
		n.lastLines[server] = at
	}
	n.events = n.lastEvent
}

// rows numbers what rows say of their tails.
func (n *numbers) rows(rows []*model.Row) {
	for _, r := range rows {
		if r.Lines > 0 {
			r.Lines += n.lines[r.Server]
			n.shown(r.Server, r.Lines)
		}
	}
}

func (n *numbers) shown(server string, line uint64) {
	if n.lastLines == nil {
		n.lastLines = map[string]uint64{}
	}
	n.lastLines[server] = max(n.lastLines[server], line)
}

// lineAfter is the engine's own count of a line.
func (n *numbers) lineAfter(server string, after uint64) uint64 {
	return after - min(after, n.lines[server])
}

// eventAfter is the engine's own count of an event.
func (n *numbers) eventAfter(after uint64) uint64 {
	after >>= localBits
	return after - min(after, n.events)
}

// event is the Seq that an engine's event is shown with.
func (n *numbers) event(seq uint64) uint64 {
	seq += n.events
	if seq > n.lastEvent {
		n.lastEvent, n.locals = seq, 0
	}
	return seq << localBits
}

// local is the Seq of an event that no engine told.
func (n *numbers) local() uint64 {
	n.locals = min(n.locals+1, 1<<localBits-1)
	return n.lastEvent<<localBits | n.locals
}
