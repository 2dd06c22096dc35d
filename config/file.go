package config

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// File is a configuration as it was read. It is immutable.
type File struct {
	Path    string        // as it was given to Load
	Entries []model.Entry // in the file's order; a refused one has no Spec (C5)
	// Problems are all of the file and of its entries, in the file's order. One of
	// [defaults] stands here once, and in each entry that it refuses.
	Problems []model.Problem

	StartConcurrency int  // T9: at least 1
	AutoReload       bool // C8: reload = "auto"
	Alerts           Alerts
	// LogDir is where failures.log and the state file go: absolute, a relative one
	// of the file from the file's folder; empty where there is no home.
	LogDir string
	Log    Log
	UI     UI

	places map[string]entryPlaces
	// envFiles are the env_files that entries name, absolute, there or not.
	envFiles []string
	doc      *document
	look     func(*model.Spec) (field string, text, hint redact.Safe) // Env.Look
}

// entryPlaces are where CheckCommand's fields stand.
type entryPlaces struct{ command, cwd span }

// defaults is the table [defaults], as entries inherit it.
type defaults struct {
	timings model.Timings
	bad     map[string]bool
	// problems are those of bad timings, by field: each once, whoever inherits it.
	problems map[string]*model.Problem
}

// fileReader reads a document.
type fileReader struct {
	reader
	dir      string
	openFile bool
	file     *File
	root     table
	defaults defaults
}

func newFileReader(doc *document, path string, openFile bool, env Env) *fileReader {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil { // the working directory is gone: nothing relative can be found
		dir = filepath.Dir(path)
	}
	return &fileReader{
		reader:   reader{doc: doc, env: env},
		dir:      dir,
		openFile: openFile,
		file:     &File{Path: path, doc: doc, look: env.Look, places: map[string]entryPlaces{}},
		root:     table{values: doc.values, at: doc.root},
	}
}

// readDefaults reads [defaults]: timings for all, and what belongs to the engine.
func (r *fileReader) readDefaults() {
	r.file.StartConcurrency = 4 * runtime.NumCPU()
	r.defaults = defaults{timings: model.DefaultTimings(), bad: map[string]bool{}, problems: map[string]*model.Problem{}}
	t, ok := r.table(r.root.get("defaults"), "defaults.", redact.Word("write [defaults] and the fields below it"))
	if !ok {
		return
	}
	r.unknown(t, defaultsKeys)
	if v := t.get("start_concurrency"); v.given() {
		if n, ok := v.v.(int64); ok && n >= 1 && n <= 100_000 {
			r.file.StartConcurrency = int(n)
		} else {
			r.report(v.span(), v.field, fault{redact.Word("not a whole number from 1 to 100000"),
				redact.Word("write how many servers may start at once, or remove it for 4 a core")})
		}
	}
	if v := t.get("reload"); v.given() {
		r.file.AutoReload = r.word(v, "ask", "auto") == "auto"
	}
	for _, f := range timingFields {
		v := t.get(f.name)
		if !v.given() {
			continue
		}
		d, bad := r.timing(f, v)
		if !bad.bad() {
			*f.at(&r.defaults.timings) = model.Timing{D: d, From: model.FromDefaults}
			r.doubtful(f.name, model.Timing{D: d}, v)
			continue
		}
		r.report(v.span(), v.field, bad)
		last := len(r.problems) - 1
		p := r.problems[last]
		r.problems = r.problems[:last] // it is told once it is known whom it refuses
		r.defaults.bad[f.name], r.defaults.problems[f.name] = true, &p
	}
}

// readRest reads the tables that are no server's.
func (r *fileReader) readRest() {
	r.unknown(r.root, fileKeys)
	for _, n := range r.doc.skipped {
		r.warn(n.from.key, "", fault{text: n.text})
	}
	r.readAlerts()
	r.readLog()
	r.readUI()
}

// maxServers bounds how many servers one file has: each costs memory, whatever
// becomes of it.
const maxServers = 20_000

// servers are the entries of the file, in its order.
func (r *fileReader) servers() []value {
	t, _ := r.table(r.root.get("servers"), "servers.", redact.Word("write [servers.NAME] for each server"))
	all := t.all()
	if len(all) > maxServers {
		r.report(all[maxServers].key(), "", fault{redact.Sprintf("more than %d servers: this one and all below it are left out", redact.Int(maxServers)),
			redact.Word("split the file, and run a rollcall for each")})
		all = all[:maxServers]
	}
	return all
}

// entry reads one entry. Its problems but those of [defaults] are in it.
func (r *fileReader) entry(v value) (model.Entry, []string) {
	v.field = "" // the server's name stands for it
	er := &entryReader{reader: reader{doc: r.doc, env: r.env, server: shownName(v.at.name)}, dir: r.dir, openFile: r.openFile}
	e := model.Entry{Name: er.server, Spec: er.read(v, &r.defaults)}
	if e.Spec == nil {
		e.Redactor = redact.New(er.secrets.sources)
		e.Known = er.known(e.Redactor)
	}
	for _, n := range r.doc.notes[v.at.name] {
		er.warn(n.from.key, "", fault{text: n.text})
	}
	e.Problems = er.told()
	slices.SortStableFunc(e.Problems, byPlace)
	if er.envPath != "" && !slices.Contains(r.file.envFiles, er.envPath) {
		r.file.envFiles = append(r.file.envFiles, er.envPath)
	}
	r.file.places[e.Name] = entryPlaces{er.table.get("command").span(), er.table.get("cwd").span()}
	return e, er.inherits
}

// shownName is a server's name as it is shown: a legal one is as it is, and
// another one never looks like a legal one.
func shownName(name string) string {
	if entryName.MatchString(name) {
		return name
	}
	s, _ := fieldName(name).Cut(60)
	if entryName.MatchString(s.String()) || s.IsZero() {
		return s.String() + "\uFFFD"
	}
	return s.String()
}

// finish spreads the problems of [defaults] over the entries that inherit them,
// and puts all problems into the file's order.
func (r *fileReader) finish(inherits [][]string) *File {
	f := r.file
	for i, fields := range inherits {
		for _, field := range fields {
			p := r.defaults.problems[field]
			p.Inherit = append(p.Inherit, f.Entries[i].Name)
		}
	}
	f.Problems = r.problems
	for _, t := range timingFields {
		if p := r.defaults.problems[t.name]; p != nil {
			f.Problems = append(f.Problems, *p)
		}
	}
	for i := range f.Entries {
		f.Problems = append(f.Problems, f.Entries[i].Problems...)
		for _, field := range inherits[i] {
			f.Entries[i].Problems = append(f.Entries[i].Problems, *r.defaults.problems[field])
		}
		slices.SortStableFunc(f.Entries[i].Problems, byPlace)
	}
	slices.SortStableFunc(f.Problems, byPlace)
	return f
}

func byPlace(a, b model.Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.Server, b.Server))
}
