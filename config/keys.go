package config

import (
	"slices"
	"strings"

	"rollcall/redact"
)

// The keys of each table, in the order in which the manual has them.
var (
	fileKeys  = []string{"servers", "defaults", "alerts", "log", "ui"}
	entryKeys = append([]string{"command", "args", "env", "cwd", "env_file", "inherit_env", "url", "headers", "protocol",
		"protocol_version", "enabled", "reconnect", "tags", "secrets", "public"}, timingKeys...)
	defaultsKeys = append([]string{"start_concurrency", "reload"}, timingKeys...)
	alertsKeys   = []string{"webhook", "format", "exec"}
	logKeys      = []string{"dir", "max_mb", "keep", "stderr", "stderr_mb"}
	uiKeys       = []string{"on_hangup", "ascii", "mouse", "keys", "theme"}
	themeKeys    = []string{"dark", "light"}
	timingKeys   = []string{"reconnect_interval", "reconnect_max_interval", "lasting_after", "start_timeout", "request_timeout",
		"probe_interval", "probe_timeout", "stop_grace"}
)

// known reports whether any table has the key.
func known(key string) bool { return slices.Contains(fileKeys, key) || !belongs(key).IsZero() }

// belongs says which table a known key belongs into; empty for an unknown one.
func belongs(key string) redact.Safe {
	switch {
	case slices.Contains(timingKeys, key):
		return redact.Word("[defaults] or [servers.NAME]")
	case slices.Contains(entryKeys, key):
		return redact.Word("[servers.NAME]")
	case slices.Contains(defaultsKeys, key):
		return redact.Word("[defaults]")
	case slices.Contains(alertsKeys, key):
		return redact.Word("[alerts]")
	case slices.Contains(logKeys, key):
		return redact.Word("[log]")
	case slices.Contains(uiKeys, key):
		return redact.Word("[ui]")
	}
	return redact.Safe{}
}

// elsewhere are keys of other programs' files, and what says the same here.
var elsewhere = map[string]string{
	"cmd": "command", "arguments": "args", "environment": "env", "envs": "env", "envFile": "env_file", "dir": "cwd",
	"workdir": "cwd", "working_directory": "cwd", "uri": "url", "endpoint": "url", "serverUrl": "url", "httpUrl": "url",
	"type": "url", "transport": "url", "http_headers": "headers", "disabled": "enabled", "autostart": "enabled",
	"timeout": "request_timeout", "startup_timeout_sec": "start_timeout", "startup_timeout": "start_timeout",
	"tool_timeout_sec": "request_timeout", "retry": "reconnect", "restart": "reconnect", "version": "protocol_version",
}

// unknownHint says what was probably meant by a key that no one knows: always
// the nearest known one (C6).
func unknownHint(key string, keys []string) redact.Safe {
	if meant, ok := elsewhere[key]; ok && slices.Contains(keys, meant) {
		switch key {
		case "disabled":
			return redact.Word("write enabled = false for it")
		case "type", "transport":
			return redact.Word("remove it: the transport follows from command and url; the nearest known key is url")
		}
		return redact.Sprintf("write %s for it", redact.Name(meant))
	}
	best, distance := nearest(key, keys)
	if distance <= 1+len(best)/4 {
		return redact.Sprintf("did you mean %s?", redact.Name(best))
	}
	names := make([]redact.Safe, len(keys))
	for i, k := range keys {
		names[i] = redact.Name(k)
	}
	return redact.Sprintf("the nearest known key is %s; known here are %s", redact.Name(best), redact.Join(", ", names...))
}

// meant is the known key that an unknown one is another spelling of; empty where
// it is none.
func meant(key string, keys []string) string {
	if m, ok := elsewhere[key]; ok && key != "type" && key != "transport" && slices.Contains(keys, m) {
		return m
	}
	if best, distance := nearest(key, keys); distance <= 1+len(best)/4 {
		return best
	}
	return ""
}

func nearestName(key string, keys []string) redact.Safe {
	best, _ := nearest(key, keys)
	return redact.Name(best)
}

// Nearest is the known name that the fewest edits lead to; empty where none is
// known.
func Nearest(name string, known []string) string {
	best, _ := nearest(name, known)
	return best
}

// nearest is the known key that the fewest edits lead to.
func nearest(key string, keys []string) (best string, distance int) {
	key = strings.ToLower(key[:min(len(key), maxFieldName)])
	distance = 1 << 30
	for _, k := range keys {
		if d := edits(key, k); d < distance {
			best, distance = k, d
		}
	}
	return best, distance
}

// edits counts the insertions, removals, replacements and swaps of neighbours
// that turn a into b.
func edits(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		older, old, row = old, row, older
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
