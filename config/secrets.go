package config

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"rollcall/model"
	"rollcall/redact"
)

// secrets collects what of one entry must never be shown (R1).
type secrets struct {
	dir     string          // what relative paths are relative to
	public  map[string]bool // names that the entry says are none
	sources []redact.Source
	names   []model.Judged // in the order of their first source
	open    []model.Judged // values that R1 exempts, in the same order
	known   map[secretKey]bool
	judged  map[model.Judged]bool // what is in names or in open: no reason is in both
	sent    []ref                 // variables in headers, and in the url's userinfo and query
	literal *node                 // the first that the file itself holds, with a name that speaks of a secret
}

// secretKey tells one source from another.
type secretKey struct{ name, value string }

// Why a value is a secret.
var (
	ofEnv      = redact.Word("a value of env")
	ofEnvFile  = redact.Word("a value of env_file")
	ofHeaders  = redact.Word("a value of headers")
	ofSecrets  = redact.Word("listed in secrets")
	ofURL      = redact.Word("userinfo or a query value of the url")
	ofWebhook  = redact.Word("whoever has it can post")
	ofFlag     = redact.Word("follows a flag that speaks of a secret")
	ofArgument = redact.Word("set by an argument")
	ofArgURL   = redact.Word("in a URL among the args")
	ofVariable = redact.Word("a variable whose name speaks of a secret")
	ofSent     = redact.Word("a variable in the url or a header")
	ofParent   = redact.Word("inherited, and its name speaks of a secret")
	ofProxy    = redact.Word("inherited, the password of a URL")
)

// add takes a value as secret, under the name that is shown in its place, unless
// R1 exempts it.
func (s *secrets) add(name, value string, why redact.Safe) {
	if ok := s.exemption(name, value); !ok.IsZero() {
		s.note(&s.open, name, value, ok)
		return
	}
	if s.note(&s.names, name, value, why) {
		s.sources = append(s.sources, redact.Source{Name: redact.Name(name).String(), Value: redact.NewSecret(value)})
	}
}

// note puts a name that is new into a list, and reports whether its value is new.
func (s *secrets) note(list *[]model.Judged, name, value string, why redact.Safe) bool {
	if s.known == nil {
		s.known, s.judged = map[secretKey]bool{}, map[model.Judged]bool{}
	}
	if s.known[secretKey{name, value}] {
		return false
	}
	if j := (model.Judged{Name: redact.Name(name), Why: why}); !s.judged[j] {
		s.judged[j] = true
		*list = append(*list, j)
	}
	s.known[secretKey{name, value}] = true
	return true
}

// value takes a whole value of the file as secret: under the variable's name
// where it is one variable that speaks of a secret, else under the field's.
func (s *secrets) value(name string, e expanded, at *node, why redact.Safe) {
	s.refs(e, false)
	if !e.alone() || !speaks(e.refs[0].name) {
		s.add(name, e.text, why)
	}
	s.noteLiteral(name, e, at)
}

// refs takes what ${…} put into a text as secret: all of it, or what comes from
// variables whose name speaks of a secret.
func (s *secrets) refs(e expanded, all bool) {
	for _, r := range e.refs {
		switch {
		case speaks(r.name):
			s.add(r.name, r.value, ofVariable)
		case all:
			s.add(r.name, r.value, ofSent)
		}
	}
}

// noteLiteral remembers that the file itself holds a secret (C9): by the name of
// its field, or by its looks.
func (s *secrets) noteLiteral(name string, e expanded, at *node) {
	if s.literal != nil || s.public[name] || !speaks(name) && !looksSecret(e.text) {
		return
	}
	for _, r := range e.refs {
		if !r.literal {
			return
		}
	}
	if !s.exempt(e.text) {
		s.literal = at
	}
}

// header takes a header's value as secret, and whatever ${…} put into it: a
// server that is sent "Bearer abc" may print "abc" alone.
func (s *secrets) header(name string, e expanded, at *node) {
	s.refs(e, true)
	s.value(name, e, at, ofHeaders)
}

// args takes what follows a flag that speaks of a secret, in the same argument
// or the next, and what looks like one of an environment, a header, or a URL.
func (s *secrets) args(args []expanded, at []*node) {
	before := "" // the flag that waits for its value
	for i, a := range args {
		s.refs(a, false)
		s.noteLiteral("", a, at[i])
		s.urlParts("args", a.text)
		name, value, hasValue := strings.Cut(a.text, "=")
		switch {
		case isFlag(name) && hasValue && isPairName(name):
			s.flagged(name, a.from(len(name)+1), at[i])
			s.urlParts("args", value)
		case !strings.HasPrefix(a.text, "--"):
			s.flagged(before, a, at[i])
		}
		before = ""
		if isFlag(a.text) && !hasValue {
			before = a.text
		}
	}
}

// flagged takes what is secret in a flag's value, or in an argument without a
// flag.
func (s *secrets) flagged(flag string, e expanded, at *node) {
	if isHeaderFlag(flag) {
		if name, value, ok := strings.Cut(e.text, ":"); ok {
			s.header(name, e.from(len(e.text)-len(strings.TrimSpace(value))), at)
			return
		}
	}
	if speaks(flag) {
		s.value(flag, e, at, ofFlag)
		return
	}
	name, _, ok := strings.Cut(e.text, "=")
	if ok && isPairName(name) && (speaks(name) || isEnvFlag(flag)) {
		s.value(name, e.from(len(name)+1), at, ofArgument)
	}
}

// pairName is what may stand before the = of an argument: a flag, or the name of
// a variable or a setting. Not what a program's text has there.
var pairName = regexp.MustCompile(`^(-\S+|[A-Za-z_][A-Za-z0-9_.-]*)$`)

// maxPairName bounds such a name, in bytes.
const maxPairName = 64

func isPairName(s string) bool { return len(s) <= maxPairName && pairName.MatchString(s) }

func isFlag(arg string) bool { return len(arg) > 1 && arg[0] == '-' }

func isHeaderFlag(arg string) bool { return arg == "-H" || arg == "--header" || arg == "--headers" }

func isEnvFlag(arg string) bool { return arg == "-e" || arg == "--env" }

// urlParts takes the userinfo of all URLs in a text as secret, and the query
// values of one whose key speaks of a secret.
func (s *secrets) urlParts(prefix, text string) {
	for _, v := range userinfo(text) {
		s.add(prefix+".userinfo", v, ofArgURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return
	}
	for key, values := range u.Query() {
		for _, v := range values {
			if speaks(key) {
				s.add(prefix+"."+key, v, ofArgURL)
			}
		}
	}
}

var urlUserinfo = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#:@]*)(?::([^\s/?#@]*))?@`)

// userinfo are the passwords of the URLs in a text, or the users of those that
// have no password; as they stand there, and decoded.
func userinfo(text string) []string {
	if !strings.Contains(text, "://") {
		return nil // most are no URL, and this is asked of a whole environment
	}
	var found []string
	for _, m := range urlUserinfo.FindAllStringSubmatch(text, -1) {
		v := m[2]
		if v == "" {
			v = m[1]
		}
		found = append(found, v)
		if plain, err := url.PathUnescape(v); err == nil && plain != v {
			found = append(found, plain)
		}
	}
	return found
}

// inherited takes what a child gets of rollcall's own environment and what
// speaks of a secret there, or holds a URL with a password: a proxy's.
func (s *secrets) inherited(name, value string) {
	if speaks(name) {
		s.add(name, value, ofParent)
		return
	}
	for _, v := range userinfo(value) {
		s.add(name, v, ofProxy)
	}
}

// exempt reports whether R1 says that a value is no secret, whatever its field.
func (s *secrets) exempt(value string) bool { return !s.exemption("", value).IsZero() }

// exemption is why R1 says that a value is no secret; empty where it does not.
func (s *secrets) exemption(name, value string) redact.Safe {
	v := strings.TrimSpace(value)
	switch {
	case s.public[name]:
		return redact.Word("listed in public")
	case v == "":
		return redact.Word("empty")
	case utf8.RuneCountInString(v) < 4:
		return redact.Word("under 4 characters")
	case redact.Ordinary(v):
		return redact.Word("a short number, a boolean, a log level or an environment's name")
	case s.isPath(v):
		return redact.Word("an existing path")
	}
	return redact.Safe{}
}

// isPath reports whether a value is an existing path, or a list of paths like
// PATH's, one of which exists.
func (s *secrets) isPath(v string) bool {
	if !strings.Contains(v, "/") || strings.Contains(v, "\x00") || len(v) > 64<<10 {
		return false
	}
	if s.exists(v) {
		return true
	}
	found := false
	for _, p := range strings.Split(v, ":") {
		if p != "" && !filepath.IsAbs(p) {
			return false
		}
		found = found || p != "" && s.exists(p)
	}
	return found
}

func (s *secrets) exists(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	_, err := os.Stat(path)
	return err == nil
}

// speaks reports whether a variable's, a flag's or a key's name speaks of a
// secret: by a word anywhere in it, or by a short word that stands alone.
func speaks(name string) bool {
	n := innocent.Replace(strings.ReplaceAll(strings.ToUpper(name), "-", "_"))
	for _, w := range secretWords {
		if strings.Contains(n, w) {
			return true
		}
	}
	for _, w := range strings.FieldsFunc(n, func(r rune) bool { return r < 'A' || r > 'Z' }) {
		if shortSecretWords[w] {
			return true
		}
	}
	return false
}

var (
	secretWords = []string{"TOKEN", "KEY", "SECRET", "PASS", "AUTH", "CRED", "PRIVATE", "SIGNATURE", "COOKIE", "BEARER",
		"WEBHOOK", "CONNECTIONSTRING", "CONNECTION_STRING", "DATABASE_URL"}
	shortSecretWords = map[string]bool{"PAT": true, "PWD": true, "DSN": true, "JWT": true, "SIG": true, "SAS": true, "PIN": true,
		"OTP": true, "TOTP": true, "SESSIONID": true}
	// innocent takes out the words that hold one of the secret ones by chance;
	// AUTHORIZATION stays.
	innocent = strings.NewReplacer("AUTHORI", "AUTHORI", "AUTHOR", "", "MAX_TOKENS", "", "TOKENIZ", "", "KEYBOARD", "", "KEYMAP", "",
		"KEYWORD", "", "BYPASS", "", "COMPASS", "", "PASSIVE", "", "MONKEY", "")
)
