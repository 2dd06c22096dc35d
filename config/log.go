package config

import (
	"path/filepath"

	"rollcall/redact"
)

// Log is the table [log], but for its folder (A4).
type Log struct {
	MaxBytes    int64 // of failures.log, above which it is set aside
	Keep        int   // how many set aside are kept
	Stderr      bool  // servers' stderr is kept on disk too
	StderrBytes int64 // of that, over all servers
}

// defaultLog is what holds where [log] does not say otherwise.
func defaultLog() Log { return Log{MaxBytes: 10 << 20, Keep: 5, StderrBytes: 256 << 20} }

// DefaultLogDir is where logs and state files go where [log] dir does not say
// otherwise; empty where there is no home.
func DefaultLogDir(env Env) string {
	dir := env.xdg("XDG_STATE_HOME", ".local/state")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "rollcall")
}

// readLog reads [log].
func (r *fileReader) readLog() {
	r.file.LogDir = DefaultLogDir(r.env)
	to := &r.file.Log
	*to = defaultLog()
	t, ok := r.table(r.root.get("log"), "log.", redact.Word("write [log] and the fields below it"))
	if !ok {
		return
	}
	r.unknown(t, logKeys)
	if e, ok := r.text(t.get("dir")); ok && e.text != "" {
		r.file.LogDir = e.text
		if !filepath.IsAbs(e.text) {
			r.file.LogDir = filepath.Join(r.dir, e.text)
		}
	}
	to.MaxBytes = int64(r.whole(t.get("max_mb"), 1, 1<<10, int(to.MaxBytes>>20))) << 20
	to.Keep = r.whole(t.get("keep"), 1, 1000, to.Keep)
	to.Stderr = r.boolean(t.get("stderr"), false)
	to.StderrBytes = int64(r.whole(t.get("stderr_mb"), 1, 1<<20, int(to.StderrBytes>>20))) << 20
}

// whole reads a whole number between two bounds; a missing or bad one is the
// default.
func (r *reader) whole(v value, least, most, missing int) int {
	if !v.given() {
		return missing
	}
	if n, ok := v.v.(int64); ok && n >= int64(least) && n <= int64(most) {
		return int(n)
	}
	r.report(v.span(), v.field, fault{redact.Sprintf("not a whole number from %d to %d", redact.Int(least), redact.Int(most)),
		redact.Sprintf("write one, or remove it for %d", redact.Int(missing))})
	return missing
}
