package config

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"rollcall/model"
	"rollcall/redact"
)

// maxFile bounds a configuration, in bytes: some 100,000 entries.
const maxFile = 16 << 20

// Load reads a configuration. err is not nil only where nothing can be made of
// it: it is missing, unreadable, too long, or not TOML (*SyntaxError). Else every
// entry is in File.Entries in the file's order, a refused one without a Spec
// (C5), and every problem is in File.Problems (C6).
func Load(path string, env Env) (*File, error) {
	r, err := open(path, env)
	if err != nil {
		return nil, err
	}
	r.readDefaults()
	r.readRest()
	var inherits [][]string
	for _, v := range r.servers() {
		e, fields := r.entry(v)
		r.file.Entries = append(r.file.Entries, e)
		inherits = append(inherits, fields)
	}
	return r.finish(inherits), nil
}

// open reads and parses the file.
func open(path string, env Env) (*fileReader, error) {
	text, err := readConfiguration(path)
	if err != nil {
		return nil, err
	}
	doc, err := parseAny(path, text, env)
	if err != nil {
		return nil, err
	}
	return newFileReader(doc, path, othersMayRead(path), env), nil
}

// readConfiguration reads a file's text.
func readConfiguration(path string) (string, error) {
	text, err := readBounded(path, maxFile)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", missing(fmt.Sprintf("%s does not exist: write it, or name another file with --config", clean(path)))
	case err != nil:
		return "", fmt.Errorf("%s cannot be read: %w", clean(path), errors.New(reason(err)))
	}
	return text, nil
}

// othersMayRead reports whether the file's mode lets every user read it.
func othersMayRead(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o004 != 0
}

// Entries reads the entries of one file for orders. It remembers what the file
// was parsed to for as long as its text is the same: to restart 500 servers reads
// it 500 times. Its method may be called from any goroutine.
type Entries struct {
	path string
	env  Env
	mu   sync.Mutex
	text string
	doc  *document // of text; nil until it was parsed
}

// NewEntries reads the entries of a file.
func NewEntries(path string, env Env) *Entries { return &Entries{path: path, env: env} }

// Read reads one entry anew for an order (O2). The whole file must be TOML; of
// its content that entry and what it inherits is validated, and that its command
// is found and executable, and its cwd exists. Either the Spec or the Refusal is
// nil. It reads the disk: call it where blocking is allowed.
func (e *Entries) Read(server string) (*model.Spec, *model.Refusal) {
	doc, err := e.parsed()
	if err != nil {
		return nil, elsewhereBroken(server, err)
	}
	return newFileReader(doc, e.path, othersMayRead(e.path), e.env).readEntry(server)
}

// parsed is the file as it is now. A document is never changed once it is parsed.
func (e *Entries) parsed() (*document, error) {
	text, err := readConfiguration(e.path)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.doc != nil && text == e.text {
		return e.doc, nil
	}
	doc, err := parseAny(e.path, text, e.env)
	if err != nil {
		return nil, err
	}
	e.text, e.doc = text, doc
	return doc, nil
}

func (r *fileReader) readEntry(server string) (*model.Spec, *model.Refusal) {
	r.readDefaults()
	var entry value
	for _, v := range r.servers() {
		if v.at.name == server {
			entry = v
		}
	}
	if !entry.given() {
		return nil, &model.Refusal{Text: redact.Sprintf("server %s is not in %s any more: reload takes it away", redact.Name(server), r.doc.file)}
	}
	e, inherits := r.entry(entry)
	for _, field := range inherits {
		p := *r.defaults.problems[field]
		p.Field = field
		p.Text = redact.Sprintf("server %s inherits %s", redact.Name(server), p.Text)
		e.Problems = append(e.Problems, p)
	}
	if e.Spec != nil {
		if p := r.file.CheckCommand(e.Spec); p != nil {
			e.Problems, e.Spec = append(e.Problems, *p), nil
		}
	}
	if e.Spec == nil {
		return nil, refusal(e.Problems)
	}
	return e.Spec, nil
}

// refusal says the first error, and how many more there are.
func refusal(problems []model.Problem) *model.Refusal {
	var first *model.Problem
	more := 0
	for i := range problems {
		switch {
		case problems[i].Warning:
		case first == nil:
			first = &problems[i]
		default:
			more++
		}
	}
	ref := &model.Refusal{Field: first.Field, Text: redact.Sprintf("%s: %s", place(*first), first.Text)}
	if !first.Hint.IsZero() {
		ref.Text = redact.Sprintf("%s: %s", ref.Text, first.Hint)
	}
	if more > 0 {
		ref.Text = redact.Sprintf("%s (and %d more: rollcall check)", ref.Text, redact.Int(more))
	}
	return ref
}

// elsewhereBroken is the refusal of an order where the file itself is broken.
func elsewhereBroken(server string, err error) *model.Refusal {
	ref := &model.Refusal{Elsewhere: true}
	var se *SyntaxError
	if errors.As(err, &se) {
		ref.Text = redact.Sprintf("server %s: %s: %s", redact.Name(server), place(se.Problem), se.Problem.Text)
	} else {
		ref.Text = redact.Sprintf("server %s: %s", redact.Name(server), clean(err.Error()))
	}
	return ref
}

// place is file:line of a problem.
func place(p model.Problem) redact.Safe {
	if p.Line == 0 {
		return p.File
	}
	return redact.Sprintf("%s:%d", p.File, redact.Int(p.Line))
}

// missing is the error of a file that is not there: os.ErrNotExist, in words
// that say what to do.
type missing string

func (m missing) Error() string { return string(m) }

func (m missing) Is(target error) bool { return target == os.ErrNotExist }
