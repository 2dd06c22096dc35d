package supervise

import (
	"maps"
	"slices"
	"sync"
	"time"

	"rollcall/model"
)

const (
	slotLength = 10 * time.Minute
	daySlots   = int(24 * time.Hour / slotLength)
)

// Timeline is the last 24 h of a server, or of the fleet for "": summed up when
// it is asked for. It is empty where there is no such server. Time runs as the
// engine's does: not while the host is suspended, and no step of the wall clock
// moves it (L7).
func (e *Engine) Timeline(server string) model.Timeline {
	days := e.days.get(server)
	if days == nil {
		return model.Timeline{}
	}
	now := e.now()
	first := int(now/slotLength) - daySlots + 1
	sum := model.Timeline{Start: e.wall(instant(first) * slotLength), Slot: slotLength, Slots: make([]model.Moment, daySlots)}
	for _, d := range days {
		d.addTo(sum.Slots, first, now)
	}
	return sum
}

// days are those of all servers, for anyone to read.
type days struct {
	mu sync.Mutex
	of map[string]*day
}

// get returns one server's, or all for ""; nil where there is none.
func (d *days) get(server string) []*day {
	d.mu.Lock()
	defer d.mu.Unlock()
	if server == "" {
		return slices.AppendSeq(make([]*day, 0, len(d.of)), maps.Values(d.of))
	}
	if one := d.of[server]; one != nil {
		return []*day{one}
	}
	return nil
}

func (d *days) set(server string, one *day) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[server] = one
}

func (d *days) forget(server string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.of, server)
}

// spent is what a server's time is spent with.
type spent uint8

const (
	spentUp spent = iota
	spentSettling
	spentTrying
	spentDown
	spentOff
	spents
)

// spends says what a server's time is spent with in a state.
func (s *state) spends() spent {
	switch {
	case s.phase == model.Settling:
		return spentSettling
	case s.episode.open:
		return spentDown
	}
	switch s.phase {
	case model.Up:
		return spentUp
	case model.Off, model.Ended:
		return spentOff
	case model.Halted, model.Refused: // a bad [defaults] alerts for one server alone
		return spentDown
	}
	return spentTrying
}

// day is the last 24 h of one server: a ring of slots that grows to 4 KiB. The
// loop writes it; anyone reads it. A phase that goes on is written when it
// changes, or when something happens in it.
type day struct {
	mu    sync.Mutex
	on    spent   // what the time since `until` is spent with
	until instant // what came before is written
	slots []slot  // the slot that begins at k × slotLength is at k modulo daySlots
}

// slot is one slot, small: its times are µs, of which ten minutes fit.
type slot struct {
	spent    [spents]uint32
	latency  uint32 // µs; the longest
	failures uint16
	timeouts uint16
}

// turns: from an instant on, the time is spent with something else.
func (d *day) turns(to spent, at instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.write(at)
	d.on = to
}

// probed counts a probe's outcome.
func (d *day) probed(o model.Outcome, elapsed time.Duration, at instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.write(at)
	switch o {
	case model.Alive:
		s.latency = max(s.latency, uint32(min(elapsed, slotLength)/time.Microsecond))
	case model.TimedOut, model.ProbeError:
		s.timeouts = more(s.timeouts)
	}
}

// failed counts a failed attempt or a lost connection.
func (d *day) failed(at instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.write(at)
	s.failures = more(s.failures)
}

// more is one more, but where it would begin at 0 again.
func more(n uint16) uint16 { return max(n, n+1) }

// write writes the time up to an instant, and returns that one's slot. What is
// stamped before what was written counts as then.
func (d *day) write(to instant) *slot {
	to = max(to, d.until)
	d.until = max(d.until, (to/slotLength-instant(daySlots))*slotLength) // what is older is dropped
	for d.until < to {
		end := min(to, (d.until/slotLength+1)*slotLength)
		d.slot(d.until).spent[d.on] += micros(d.until, end)
		d.until = end
		if end%slotLength == 0 {
			*d.slot(end) = slot{} // a new one, where the oldest was
		}
	}
	return d.slot(to)
}

// slot is the slot of an instant among the last daySlots.
func (d *day) slot(at instant) *slot {
	i := int(at/slotLength) % daySlots
	for len(d.slots) <= i {
		d.slots = append(d.slots, slot{})
	}
	return &d.slots[i]
}

// addTo adds the slots from the one with a number on, up to now.
func (d *day) addTo(sum []model.Moment, first int, now instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	newest := int(d.until / slotLength)
	for k := max(first, newest-daySlots+1, 0); k <= newest && k < first+len(sum); k++ {
		if i := k % daySlots; i < len(d.slots) {
			d.slots[i].addTo(&sum[k-first])
		}
	}
	// What goes on is not written yet.
	for at := max(d.until, instant(max(first, 0))*slotLength); at < now; {
		end := min(now, (at/slotLength+1)*slotLength)
		var s slot
		s.spent[d.on] = micros(at, end)
		s.addTo(&sum[int(at/slotLength)-first])
		at = end
	}
}

func (s *slot) addTo(m *model.Moment) {
	const us = time.Microsecond
	m.Up += time.Duration(s.spent[spentUp]) * us
	m.Settling += time.Duration(s.spent[spentSettling]) * us
	m.Trying += time.Duration(s.spent[spentTrying]) * us
	m.Down += time.Duration(s.spent[spentDown]) * us
	m.Off += time.Duration(s.spent[spentOff]) * us
	m.Failures += int(s.failures)
	m.Timeouts += int(s.timeouts)
	m.Latency = max(m.Latency, time.Duration(s.latency)*us)
}

// micros is from one instant to another in whole µs, so that what is cut into
// pieces adds up.
func micros(from, to instant) uint32 {
	return uint32(to/time.Microsecond - from/time.Microsecond)
}
