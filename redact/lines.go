package redact

import (
	"bytes"
	"fmt"
)

const (
	lineLimit = 8 << 10 // bytes of a line that are shown (T3)
	// lineSlack is how much more of a line is looked at, so that a secret over
	// the cut is found. One that is longer is found by its beginning.
	lineSlack = 8 << 10
	stripStep = 1 << 10 // bytes that are stripped at once: bounds what the buffer grows by
	// maxKeyLines bounds how many lines after a begin mark may be a key's.
	maxKeyLines = 256
	keyLineSize = 48 // base64 characters: PEM lines have 64, some tools write fewer
)

// Lines splits output into lines, and cleans each (T3, R2, R3).
type Lines struct {
	r     *Redactor
	emit  func(Safe)
	strip stripper
	buf   []byte // what an unfinished line holds, stripped; at most lineLimit+lineSlack
	more  int    // bytes of it beyond buf
	key   int    // lines that may still be the body of a private key
	body  bool   // the line before was of a key's body
}

// NewLines returns a splitter that emits each line of what is written to it,
// cleaned by r. It splits at \n, \r\n and \r, drops lines that are empty or
// blank, cuts a line at 8 KiB and says how many bytes more it had. It holds
// some 24 KiB at most. emit is called within Write and Flush, and must not call
// them. Not for concurrent use.
func NewLines(r *Redactor, emit func(Safe)) *Lines { return &Lines{r: r, emit: emit} }

// Write takes the next piece of output, however it was chunked. It keeps
// nothing of p, and never fails.
func (l *Lines) Write(p []byte) (int, error) {
	size, nl := len(p), -2 // nl: the next \n in p, -1 for none, below that not looked for
	for len(p) > 0 {
		if nl == -2 {
			nl = bytes.IndexByte(p, '\n')
		}
		end := nl
		if nl < 0 {
			end = len(p)
		}
		if cr := bytes.IndexByte(p[:end], '\r'); cr >= 0 {
			end = cr
		}
		if end == len(p) {
			l.add(p)
			break
		}
		l.line(p[:end])
		p = p[end+1:]
		switch {
		case nl > end:
			nl -= end + 1
		case nl == end:
			nl = -2
		}
	}
	return size, nil
}

// Flush emits what is left of the output as its last line. It is for the end of
// file: the beginning of a secret at the line's end is taken for a secret that
// a crash has cut.
func (l *Lines) Flush() {
	l.end(true)
	l.key, l.body = 0, false
}

// line takes what ends a line. The common case, a whole clean line in one
// write, is not copied.
func (l *Lines) line(rest []byte) {
	whole := len(l.buf) == 0 && l.strip == stripper{} && len(rest) <= lineLimit
	if whole && unclean(rest) == len(rest) {
		l.show(rest, 0, false)
		return
	}
	l.add(rest)
	l.end(false)
}

// add takes a piece of a line.
func (l *Lines) add(p []byte) {
	for len(p) > 0 {
		n := min(len(p), stripStep)
		l.buf, p = l.strip.write(l.buf, p[:n]), p[n:]
		l.bound()
	}
}

// bound drops what the buffer holds too much, and counts it.
func (l *Lines) bound() {
	if over := len(l.buf) - lineLimit - lineSlack; over > 0 {
		l.more += over
		l.buf = l.buf[:lineLimit+lineSlack]
	}
}

// end shows the line that the buffer holds.
func (l *Lines) end(cut bool) {
	l.buf = l.strip.end(l.buf)
	l.bound()
	l.show(l.buf, l.more, cut || l.more > 0)
	l.buf, l.more = l.buf[:0], 0
	if cap(l.buf) > lineLimit { // most servers never print such a line again
		l.buf = nil
	}
}

// show emits a line without control sequences, of which more bytes are missing.
func (l *Lines) show(text []byte, more int, cut bool) {
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	total := len(text) + more
	if l.keyLine(text) {
		l.emit(Safe{privateKeyMark})
		return
	}
	out, taken := l.r.clean(text, lineLimit, cut)
	if taken == total {
		l.emit(Safe{string(out)})
		return
	}
	l.emit(Safe{fmt.Sprintf("%s… %d more bytes", out, total-taken)})
}

// keyLine reports whether a line is of a private key's body: after a begin mark
// and before an end mark, nothing but base64, or, behind a logger's prefix, as
// much of it as a key's lines have.
func (l *Lines) keyLine(text []byte) bool {
	if before, label, ok := bytes.Cut(text, []byte("BEGIN ")); ok && bytes.HasSuffix(before, []byte("-----")) && privateKeyLabel(label) {
		l.key = maxKeyLines
	}
	if l.key == 0 {
		return false
	}
	l.key--
	if bytes.Contains(text, []byte("-----END ")) {
		l.key, l.body = 0, false
		return false
	}
	text = bytes.TrimSpace(text)
	n := run(text, 0, base64Chars|tokenSign)
	l.body = n == len(text) && (n >= leastBody || l.body) || longestRun(text, base64Chars) >= keyLineSize
	return l.body
}
