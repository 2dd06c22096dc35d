package config

import (
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"rollcall/model"
	"rollcall/redact"
)

// document is a file's text, its values, and their places.
type document struct {
	file   redact.Safe
	text   string
	values map[string]any
	scan   *scanner
	root   *node
	lines  []int // where each line starts
	// tails counts, for each block of the text, the bytes before it that begin no
	// character: columns are counted in characters, and a line may be long.
	tails []int

	notes   map[string][]note // of a foreign file's servers: what was not carried over
	skipped []note            // its entries that no server was made of
}

// newDocument is a document without values.
func newDocument(file redact.Safe, text string) *document {
	d := &document{file: file, text: text, lines: []int{0}, scan: &scanner{s: text}, root: &node{}}
	tails := 0
	for i := range len(text) {
		if i%tailBlock == 0 {
			d.tails = append(d.tails, tails)
		}
		if !utf8.RuneStart(text[i]) {
			tails++
		}
		if text[i] == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// tailBlock is how many bytes a block of document.tails has.
const tailBlock = 1 << 10

// tailsBefore is how many bytes before an offset begin no character.
func (d *document) tailsBefore(offset int) int {
	if len(d.tails) == 0 {
		return 0
	}
	block := min(offset/tailBlock, len(d.tails)-1)
	n := d.tails[block]
	for i := block * tailBlock; i < offset; i++ {
		if !utf8.RuneStart(d.text[i]) {
			n++
		}
	}
	return n
}

// parse reads a TOML file's text. The error is a *SyntaxError.
func parse(file redact.Safe, text string) (*document, error) {
	text = strings.TrimPrefix(text, "\uFEFF")
	d := newDocument(file, text)
	d.scan, d.root = scan(text)
	if d.scan.tooDeep != (span{}) {
		return nil, d.syntax(d.scan.tooDeep, redact.Sprintf("nested deeper than %d levels", redact.Int(maxDepth)), redact.Safe{})
	}
	if _, err := toml.Decode(soften(text, d.scan.bare), &d.values); err != nil {
		return nil, d.syntaxError(err)
	}
	return d, nil
}

// soften writes huge numbers that the decoder has no room for as 9e99, in the
// same bytes: one such number is one bad field, not a file that is not TOML.
func soften(text string, bare []span) string {
	var b []byte
	for _, at := range bare {
		s := strings.ReplaceAll(text[at.start:at.end], "_", "")
		f, err := strconv.ParseFloat(s, 64)
		tooGreat := err != nil && math.IsInf(f, 0)
		whole := strings.Trim(s, "+-0123456789") == ""
		if _, err := strconv.ParseInt(s, 10, 64); !tooGreat && (!whole || err == nil || len(s) < 19) {
			continue
		}
		if b == nil {
			b = []byte(text)
		}
		huge := "9e99"
		if s[0] == '-' {
			huge = "-9e99"
		}
		copy(b[at.start:at.end], huge+strings.Repeat(" ", at.end-at.start-len(huge)))
	}
	if b == nil {
		return text
	}
	return string(b)
}

// written is a value as the file has it.
func (d *document) written(at span) string { return d.text[at.start:at.end] }

// position is the line and the column, both from 1, the latter in characters.
func (d *document) position(offset int) (line, column int) {
	line = sort.SearchInts(d.lines, offset+1)
	start := d.lines[line-1]
	return line, offset - start - (d.tailsBefore(offset) - d.tailsBefore(start)) + 1
}

// lineAt is the range of a line, from 1, without its end.
func (d *document) lineAt(line int) span {
	at := span{d.lines[line-1], len(d.text)}
	if line < len(d.lines) {
		at.end = d.lines[line] - 1
	}
	for at.end > at.start && d.text[at.end-1] == '\r' {
		at.end--
	}
	return at
}

// place fills in where a problem is: line, column, excerpt and caret. An empty
// span means the file as a whole, and leaves them out.
func (d *document) place(p *model.Problem, at span, mask func(line span) []span) {
	p.File = d.file
	if at == (span{}) {
		return
	}
	p.Line, p.Column = d.position(at.start)
	whole := d.lineAt(p.Line)
	line := d.around(whole, at.start)
	e := excerpt{caret: 1, cut: line.start > whole.start}
	e.build(d.text, line, at, mask(line))
	p.Excerpt, p.Caret, p.Width = e.window()
}

// excerptReach is how many bytes of a line on each side of a problem are looked
// at for its excerpt.
const excerptReach = 8 * excerptWidth

// around is the part of a line that an excerpt is made of, at a character's edge.
func (d *document) around(line span, at int) span {
	line.start = max(line.start, at-excerptReach)
	for line.start < at && !utf8.RuneStart(d.text[line.start]) {
		line.start++
	}
	line.end = max(min(line.end, at+excerptReach), line.start)
	return line
}

// masks are the strings and comments that touch a line: what an excerpt hides.
func (d *document) masks(line span) []span {
	var found []span
	for _, all := range [][]span{d.scan.strings, d.scan.comments} {
		first := sort.Search(len(all), func(i int) bool { return all[i].end > line.start })
		for _, s := range all[first:] {
			if s.start >= line.end {
				break
			}
			found = append(found, s)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].start < found[j].start })
	return found
}

// hidden stands for a string value in an excerpt: one length for all, so that
// it does not tell the value's.
const hidden = `"…"`

// excerptWidth is how many characters of a line an excerpt shows at most.
const excerptWidth = 100

// excerpt is one line made fit to show, and where the caret goes under it.
type excerpt struct {
	runes        []rune
	caret, width int  // in runes, caret from 1
	cut          bool // the line begins before the runes
}

// build writes the line with what masks cover hidden, and comments left out.
func (e *excerpt) build(text string, line, at span, masks []span) {
	end := 0
	mark := func(from, to int) { // the bytes from…to are shown as what follows
		if at.start >= from && at.start < to {
			e.caret = len(e.runes) + 1
		}
	}
	for i := line.start; i < line.end; {
		if len(masks) > 0 && masks[0].start <= i {
			to := min(masks[0].end, line.end)
			if text[i] == '#' && masks[0].start == i {
				break
			}
			mark(i, to)
			e.runes = append(e.runes, []rune(hidden)...)
			if at.end > i {
				end = len(e.runes)
			}
			i, masks = max(to, i+1), masks[1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if r < ' ' || r > '~' { // keeps the caret in place, whatever the terminal makes of it
			r = ' '
			if text[i] != '\t' {
				r = '?'
			}
		}
		mark(i, i+n)
		e.runes = append(e.runes, r)
		if at.end > i {
			end = len(e.runes)
		}
		i += n
	}
	if at.start >= line.end {
		e.caret = len(e.runes) + 1
	}
	e.width = max(end-e.caret+1, 1)
}

// window is the part of the line around the caret, and the caret in it.
func (e *excerpt) window() (redact.Safe, int, int) {
	runes, caret := e.runes, e.caret
	switch cut := caret - excerptWidth/2; {
	case cut > 1 && len(runes) > excerptWidth:
		runes = append([]rune("…"), runes[cut:]...)
		caret -= cut - 1
	case e.cut:
		runes = append([]rune("…"), runes...)
		caret++
	}
	if len(runes) > excerptWidth {
		runes = append(runes[:excerptWidth-1:excerptWidth-1], '…')
	}
	text := strings.TrimRight(string(runes), " ")
	return clean(text), caret, max(min(e.width, len(runes)-caret+1), 1)
}

// clean makes text that came from the file fit to show: what looks like a secret
// and what controls a terminal is taken out.
func clean(s string) redact.Safe { return (*redact.Redactor)(nil).Text(s) }

// fieldName is a field's name as it is shown and reported.
func fieldName(s string) redact.Safe {
	n, _ := redact.Name(clean(s).String()).Cut(maxFieldName)
	return n
}

// maxFieldName is how many bytes of a field's name are shown.
const maxFieldName = 128
