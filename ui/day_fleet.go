package ui

import (
	"strconv"
	"strings"
	"time"

	"rollcall/model"
)

// dayText is the cells beside the fleet's day, for its longest text.
const dayText = len(" 24 h  now  connected 99.9 % of the time wanted since 15:04, 999 failures")

// dayRow is the fleet's day as it was drawn last. It changes once a minute or so,
// and a frame is drawn many times a second.
type dayRow struct {
	day    *model.Moment // its first slot: each day that is read has its own
	look   *look
	width  int
	minute time.Time
	pieces []piece
}

// drawFleetDay writes the fleet's day in one line: how much of what was wanted
// was connected, lasting or not yet. Full is all of it; what was down is red, what
// failed is yellow. An empty configuration has none.
func (a *app) drawFleetDay(c *canvas) {
	if len(a.day.day.Slots) == 0 || len(a.fleet.Rows) == 0 {
		return
	}
	now := a.engineNow()
	row := dayRow{day: &a.day.day.Slots[0], look: a.look, width: c.width, minute: now.Truncate(time.Minute)}
	if old := &a.dayRow; old.day != row.day || old.look != row.look || old.width != row.width || !old.minute.Equal(row.minute) {
		row.pieces = a.day.row(a.look, max(c.width-dayText, 8), now)
		a.dayRow = row
	}
	putAll(c, a.dayRow.pieces)
	c.end()
}

// row is the day in so many columns, and what it adds up to.
func (t *timeline) row(l *look, width int, now time.Time) []piece {
	columns, all := merged(t.day.Slots, width)
	pieces := []piece{{dim, " 24 h "}}
	add := func(t tone, s string) { // to the column before it, where that looks alike
		if last := &pieces[len(pieces)-1]; last.tone == t {
			last.text += s
		} else {
			pieces = append(pieces, piece{t, s})
		}
	}
	for _, m := range columns {
		was := lotOf(m)
		if was == offLot || was == unseenLot || wanted(m) == 0 {
			add(lotTones[was], l.lots[was])
			continue
		}
		add(lotTones[was], l.bar(m.Up+m.Settling, wanted(m)))
	}
	add(dim, " now  "+t.text(all, now))
	return pieces
}

// wanted is how long servers were to run in a moment.
func wanted(m model.Moment) time.Duration { return m.Up + m.Settling + m.Trying + m.Down }

// text is what a day adds up to: `connected 99.1 % of the time wanted since 14:03,
// 3 failures`. One that is younger says since when it counts; in its first minute
// a share says nothing yet.
func (t *timeline) text(all model.Moment, now time.Time) string {
	since := t.since()
	if since.IsZero() {
		return "nothing counted yet"
	}
	text := ""
	if wanted(all) > 0 && now.Sub(since) >= time.Minute {
		text = "connected " + percent(all.Up+all.Settling, wanted(all)) + " of the time wanted "
	}
	if now.Sub(since) < day-t.day.Slot { // the oldest slot of a whole day goes as the newest fills
		text += "since " + since.Local().Format("15:04")
	}
	text = strings.TrimSuffix(text, " ")
	if all.Failures > 0 {
		text += ", " + several(all.Failures, "failure")
	}
	return strings.TrimPrefix(text, ", ")
}

// percent is a part of a whole, rounded down, so that 100 % is all of it.
func percent(part, whole time.Duration) string {
	tenths := int64(float64(part) / float64(whole) * 1000)
	if tenths >= 1000 {
		return "100 %"
	}
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " %"
}
