package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rollcall/redact"
)

// UI is the table [ui].
type UI struct {
	StopOnHangup bool // N6: on_hangup = "stop"
	ASCII        bool
	NoMouse      bool                // mouse = false
	Keys         map[string][]string // other keys, by the action's name
	Dark, Light  map[string]string   // other colours, by what they mean: #rrggbb, or 0 to 255
}

// Action is what a key of the dashboard does, as [ui] keys names it, with the
// keys that it has by default. A test holds the table to the dashboard's own.
type Action struct {
	Name            string
	Keys            []string
	InTable, InPane bool // where the keys work
}

// Actions are all of them.
func Actions() []Action { return slices.Clone(actions) }

// Tokens are the names that a theme may give a colour to.
func Tokens() []string { return slices.Clone(tokens) }

var tokens = []string{"bad", "warn", "good", "active", "note", "dim", "head", "selected"}

var actions = []Action{
	{"up", []string{"up", "k"}, true, true},
	{"down", []string{"down", "j"}, true, true},
	{"page_up", []string{"pgup", "ctrl+b"}, true, true},
	{"page_down", []string{"pgdown", "ctrl+f"}, true, true},
	{"first", []string{"g", "home"}, true, true},
	{"last", []string{"G", "end"}, true, true},
	{"restart", []string{"r"}, true, true},
	{"disconnect", []string{"d"}, true, true},
	{"connect", []string{"c"}, true, true},
	{"acknowledge", []string{"a"}, true, true},
	{"reload", []string{"R"}, true, true},
	{"mark", []string{"space"}, true, false},
	{"mark_all", []string{"*"}, true, false},
	{"back", []string{"esc"}, true, true},
	{"pane", []string{"enter", "tab"}, true, true},
	{"filter", []string{"/"}, true, false},
	{"sort", []string{"s"}, true, false},
	{"reverse", []string{"S"}, true, false},
	{"problems", []string{"p"}, true, false},
	{"log", []string{"1"}, true, true},
	{"failures", []string{"2"}, true, true},
	{"details", []string{"3"}, true, true},
	{"history", []string{"4"}, true, true},
	{"follow", []string{"f"}, true, true},
	{"wrap", []string{"w"}, true, true},
	{"search", []string{"/"}, false, true},
	{"next", []string{"n"}, false, true},
	{"previous", []string{"N"}, false, true},
	{"copy", []string{"y"}, true, true},
	{"write", []string{"W"}, true, true},
	{"zoom", []string{"z"}, true, true},
	{"grow", []string{">"}, true, true},
	{"shrink", []string{"<"}, true, true},
	{"help", []string{"?"}, true, true},
	{"suspend", []string{"ctrl+z"}, true, true},
	{"leave", []string{"Q"}, true, true},
	{"quit", []string{"q"}, true, true},
}

// readUI reads [ui].
func (r *fileReader) readUI() {
	t, ok := r.table(r.root.get("ui"), "ui.", redact.Word("write [ui] and the fields below it"))
	if !ok {
		return
	}
	r.unknown(t, uiKeys)
	ui := &r.file.UI
	if v := t.get("on_hangup"); v.given() {
		ui.StopOnHangup = r.word(v, "serve", "stop") == "stop"
	}
	ui.ASCII = r.boolean(t.get("ascii"), false)
	ui.NoMouse = !r.boolean(t.get("mouse"), true)
	r.readKeys(t.get("keys"))
	theme, ok := r.table(t.get("theme"), "ui.theme.", redact.Word("write [ui.theme.dark] and [ui.theme.light]"))
	if !ok {
		return
	}
	r.unknown(theme, themeKeys)
	ui.Dark, ui.Light = r.colours(theme.get("dark")), r.colours(theme.get("light"))
}

// readKeys reads [ui] keys: other keys for some actions. A key that would then
// mean two things is a problem at the later one.
func (r *fileReader) readKeys(v value) {
	t, ok := r.table(v, "ui.keys.", redact.Word(`write it as { restart = "x" }`))
	if !ok || !v.given() {
		return
	}
	r.unknown(t, actionNames())
	given := map[string]value{}
	for _, v := range t.all() {
		if keys, ok := r.keysOf(v); ok && slices.Contains(actionNames(), v.at.name) {
			if r.file.UI.Keys == nil {
				r.file.UI.Keys = map[string][]string{}
			}
			r.file.UI.Keys[v.at.name], given[v.at.name] = keys, v
		}
	}
	r.conflicts(t, given)
}

// conflicts notes keys that mean two things at one place, at the value that was
// written; where both were, at the later one. Its action keeps its default keys.
func (r *fileReader) conflicts(t table, given map[string]value) {
	ordered := slices.Clone(actions)
	order := func(a Action) int { // what the file has comes last, in its order
		return slices.IndexFunc(t.all(), func(v value) bool { return v.at.name == a.Name })
	}
	slices.SortStableFunc(ordered, func(a, b Action) int { return order(a) - order(b) })
	for i, a := range ordered {
		v, ok := given[a.Name]
		if !ok {
			continue
		}
		for _, b := range ordered[:i] {
			keys, own := r.file.UI.Keys[b.Name]
			if !own {
				keys = b.Keys
			}
			at := slices.IndexFunc(keys, func(k string) bool { return slices.Contains(r.file.UI.Keys[a.Name], k) })
			if at < 0 || !(a.InTable && b.InTable || a.InPane && b.InPane) {
				continue
			}
			r.report(v.span(), v.field, fault{redact.Sprintf("%s is a key of %s too", clean(strconv.Quote(keys[at])), redact.Name(b.Name)),
				redact.Sprintf("take another key, or give %s another one", redact.Name(b.Name))})
			delete(r.file.UI.Keys, a.Name)
			break
		}
	}
}

// keysOf reads a key, or an array of them.
func (r *fileReader) keysOf(v value) (keys []string, ok bool) {
	items := r.items(v)
	failed := len(items) == 0
	for _, it := range items {
		switch {
		case it.text == "ctrl+c":
			r.report(it.span(), it.field, fault{redact.Word("ctrl+c always quits"), redact.Word("take another key")})
			failed = true
		case !isKey(it.text):
			r.report(it.span(), it.field, fault{redact.Word("no key"),
				redact.Word("write one character, or one of up down left right enter tab esc space backspace delete insert home end pgup pgdown f1 to f12, with ctrl+, alt+ or shift+ before it")})
			failed = true
		default:
			keys = append(keys, it.text)
		}
	}
	return keys, !failed
}

// items are a text, or those of an array of texts.
func (r *fileReader) items(v value) []item {
	switch v.v.(type) {
	case []any:
		items := r.texts(v)
		if len(v.v.([]any)) == 0 {
			r.report(v.span(), v.field, fault{redact.Word("no key"), redact.Word("name one, or remove the line for the default")})
		}
		return items
	case string:
		if e, ok := r.text(v); ok {
			return []item{{e, v}}
		}
		return nil
	}
	r.wrongKind(v, redact.Word("a key"), redact.Word(`write "x", or ["x", "ctrl+x"]`))
	return nil
}

// namedKey is a key that is no character.
var namedKey = regexp.MustCompile(`^(ctrl\+)?(alt\+)?(shift\+)?(up|down|left|right|enter|tab|esc|space|backspace|delete|insert|home|end|pgup|pgdown|f[1-9]|f1[0-2])$`)

// isKey reports whether a terminal may send it under this name.
func isKey(s string) bool {
	if namedKey.MatchString(s) {
		return true
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "ctrl+"), "alt+")
	c, n := utf8.DecodeRuneInString(s)
	return n == len(s) && c > ' ' && c != 0x7f && !(0x80 <= c && c <= 0xa0) && c != utf8.RuneError
}

func actionNames() []string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = a.Name
	}
	return names
}

var colour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// colours reads the colours of a theme.
func (r *fileReader) colours(v value) map[string]string {
	if !v.given() {
		return nil
	}
	t, ok := r.table(v, v.field+".", redact.Word(`write it as { bad = "#ff5f5f" }`))
	if !ok {
		return nil
	}
	r.unknown(t, tokens)
	all := map[string]string{}
	for _, v := range t.all() {
		if !slices.Contains(tokens, v.at.name) {
			continue
		}
		text, is := v.v.(string)
		if n, number := v.v.(int64); number && 0 <= n && n <= 255 {
			all[v.at.name] = strconv.FormatInt(n, 10)
			continue
		}
		if !is || !colour.MatchString(text) {
			r.report(v.span(), v.field, fault{redact.Word("no colour"), redact.Word(`write it as "#rrggbb", or as a number from 0 to 255 of the terminal's own colours`)})
			continue
		}
		all[v.at.name] = text
	}
	return all
}
