package redact

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"
)

// stripper takes control sequences out of text that comes in pieces (R3). It
// keeps some bytes of state, however long a sequence is. Its zero value is
// ready, at the beginning of a line.
//
// A line break ends every sequence, so that a title left open by one line does
// not swallow the next ones.
type stripper struct {
	state state
	cr    bool // the last rune was \r: a \n belongs to it
	held  int  // how many bytes of rest hold
	rest  [utf8.UTFMax]byte
}

// state is where a stripper stands in ECMA-48's grammar.
type state uint8

const (
	ground state = iota // text
	esc                 // after ESC
	escMid              // after ESC and an intermediate byte
	csi                 // in the parameters of a control sequence
	str                 // in the text of an OSC, DCS, APC, PM or SOS
)

const replacement = "\uFFFD"

// write appends to dst what of src is text. The beginning of a rune at src's
// end is held until the next write.
func (p *stripper) write(dst, src []byte) []byte {
	if p.held > 0 {
		n := copy(p.rest[p.held:], src)
		b := p.rest[:p.held+n]
		if !utf8.FullRune(b) {
			p.held += n
			return dst
		}
		r, size := decode(b)
		src = src[size-p.held:] // what is held is never longer than what decode takes
		p.held = 0
		dst = p.rune(dst, r)
	}
	for len(src) > 0 {
		if p.state == ground {
			if n := plain(src); n > 0 {
				dst, src, p.cr = append(dst, src[:n]...), src[n:], false
				continue
			}
		}
		if !utf8.FullRune(src) {
			p.held = copy(p.rest[:], src)
			break
		}
		r, size := decode(src)
		dst, src = p.rune(dst, r), src[size:]
	}
	return dst
}

// end ends the line: an unfinished sequence is dropped, an unfinished rune
// becomes U+FFFD.
func (p *stripper) end(dst []byte) []byte {
	if p.held > 0 && p.state != str {
		dst = append(dst, replacement...)
	}
	*p = stripper{}
	return dst
}

// rune takes one rune, and appends it to dst where it is text.
func (p *stripper) rune(dst []byte, r rune) []byte {
	after := p.cr
	p.cr = r == '\r'
	switch {
	case r == '\n' && after:
		return dst
	case breaks(r):
		p.state = ground
		return append(dst, ' ')
	case r == '\x1b':
		p.state = esc
		return dst
	case r == '\x18', r == '\x1a': // CAN, SUB abort a sequence
		p.state = ground
		return dst
	case r < ' ', r == '\x7f':
		return p.control(dst, r)
	case 0x80 <= r && r < 0xA0:
		p.state = afterC1(r)
		return dst
	}
	if p.sequence(r) || !shown(r) {
		return dst
	}
	return utf8.AppendRune(dst, r)
}

// control takes a C0 control that neither breaks a line nor begins a sequence.
func (p *stripper) control(dst []byte, r rune) []byte {
	switch {
	case r == '\a' && p.state == str:
		p.state = ground
	case r == '\t' && p.state == ground:
		return append(dst, ' ')
	}
	return dst
}

// sequence reports whether the printable r is part of a sequence, and moves on.
func (p *stripper) sequence(r rune) bool {
	switch {
	case p.state == ground:
		return false
	case p.state == str:
		return true
	case r > '~': // no sequence holds it: it is text again
		p.state = ground
		return false
	case p.state == csi:
		if r >= '@' {
			p.state = ground
		}
		return true
	case r < '0':
		p.state = escMid
		return true
	case p.state == esc:
		p.state = afterEscape(r)
		return true
	}
	p.state = ground
	return true
}

func afterEscape(r rune) state {
	switch r {
	case '[':
		return csi
	case ']', 'P', 'X', '^', '_':
		return str
	}
	return ground
}

func afterC1(r rune) state {
	switch r {
	case 0x9B:
		return csi
	case 0x90, 0x98, 0x9D, 0x9E, 0x9F:
		return str
	}
	return ground
}

// decode is utf8.DecodeRune, but for bytes that are no UTF-8: a lone 0x80 to
// 0x9F is the C1 control that an 8-bit terminal takes it for, and a rune cut
// short is one U+FFFD, so that its continuation bytes are not taken for C1.
func decode(b []byte) (r rune, size int) {
	r, size = utf8.DecodeRune(b)
	if r != utf8.RuneError || size != 1 {
		return r, size
	}
	if b[0] < 0xA0 {
		return rune(b[0]), 1
	}
	for size < len(b) && !utf8.FullRune(b[:size+1]) {
		size++
	}
	return utf8.RuneError, size
}

// breaks reports whether r breaks a line: such a rune becomes a space.
func breaks(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// shown reports whether r may be shown: no control, no line break, and no
// formatting character, which are invisible and can turn the line around.
func shown(r rune) bool {
	switch {
	case r < 0x600:
		return r >= ' ' && r < 0x7F || r >= 0xA0 && r != 0xAD
	case 0x3000 <= r && r <= 0xD7FF: // CJK and Hangul, without the table
		return true
	}
	return !unicode.Is(unicode.Cf, r) && !breaks(r)
}

// unclean is the index of the first byte of b that a stripper would change, or
// b's length.
func unclean(b []byte) int {
	for i := 0; i < len(b); {
		if i += plain(b[i:]); i == len(b) {
			break
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 || !shown(r) {
			return i
		}
		i += size
	}
	return len(b)
}

// plain is how many bytes at the beginning of b are printable ASCII. It looks
// at eight bytes at once: each of the three sums has a byte's highest bit set
// where that byte is above 0x7F, below 0x20, or 0x7F.
func plain(b []byte) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if (x|(x-each*0x20)|(x+each))&high != 0 {
			break
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] < 0x7F {
		i++
	}
	return i
}
