package redact

import (
	"bytes"
)

// readKey reads a key: a run of its alphabet, long enough, that is no identifier.
func readKey(p *pattern, text []byte, at, from int) (span, int, bool) {
	end := run(text, from, p.alphabet)
	if end-from < p.least || identifier(text[from:end]) {
		return span{}, end, false
	}
	return span{start: at, end: end}, end, true
}

// readJWT reads a JSON web token: three parts, or a header and what a printer
// that shortens has left of the claims.
func readJWT(p *pattern, text []byte, at, from int) (span, int, bool) {
	end := run(text, from, p.alphabet)
	token := text[from:end]
	if len(token) < p.least || bytes.Count(token, []byte(".")) < 2 && !bytes.Contains(token, []byte(".eyJ")) {
		return span{}, end, false
	}
	return span{start: at, end: end}, end, true
}

const (
	leastToken  = 6    // characters: a shorter word after Bearer is no token
	maxUserinfo = 1024 // bytes: how far a URL's userinfo may reach
	maxArmor    = 64   // bytes: how long the label of a key block may be
	leastBody   = 16   // base64 characters that make the body of a key block
)

// readBearer reads what follows the word Bearer.
func readBearer(_ *pattern, text []byte, _, from int) (span, int, bool) {
	start := run(text, from, separator)
	end := run(text, start, tokenChars)
	if start == from || !credentials(text[start:end]) {
		return span{}, start, false
	}
	return span{start: start, end: end}, end, true
}

// readAuthorization reads the value of a header or field of that name, without
// its scheme: `Authorization: Basic dTpw`, `"authorization":"abc123"`. A value
// that is a plain word is none: `authorization: required`.
func readAuthorization(_ *pattern, text []byte, _, from int) (span, int, bool) {
	start := run(text, from, separator|list)
	if !bytes.ContainsAny(text[from:start], ":=,") {
		return span{}, start, false
	}
	end := run(text, start, value)
	if first := text[start:end]; scheme(first) && end < len(text) && text[end] == ' ' {
		next := run(text, end+1, value)
		if manyParts(first) && bytes.IndexByte(text[end+1:next], '=') > 0 {
			next = len(text)
		}
		if credentials(text[end+1 : next]) {
			return span{start: end + 1, end: next}, next, true
		}
		if bytes.HasPrefix(text[end+1:], []byte("‹")) { // done already
			return span{}, end, false
		}
	}
	if !credentials(text[start:end]) {
		return span{}, end, false
	}
	return span{start: start, end: end}, end, true
}

// credentials reports whether b, found where a token stands, is one.
func credentials(b []byte) bool { return len(b) >= leastToken && !words(b) }

// scheme reports whether b may name an authentication scheme.
func scheme(b []byte) bool {
	return run(b, 0, upper|lower|dash) == len(b) || bytes.HasPrefix(b, []byte("AWS4-"))
}

// manyParts reports whether a scheme's credentials are a list of parameters.
func manyParts(scheme []byte) bool {
	return bytes.HasPrefix(scheme, []byte("AWS4-")) || bytes.EqualFold(scheme, []byte("digest")) || bytes.EqualFold(scheme, []byte("oauth")) ||
		bytes.EqualFold(scheme, []byte("hawk")) || bytes.EqualFold(scheme, []byte("signature"))
}

// readUserinfo reads a URL's userinfo that holds a password: `://user:pass@`.
func readUserinfo(_ *pattern, text []byte, _, from int) (span, int, bool) {
	end := run(text[:min(from+maxUserinfo, len(text))], from, userinfo)
	at := bytes.LastIndexByte(text[from:end], '@')
	if at <= 0 {
		return span{}, from, false
	}
	found := text[from : from+at]
	if bytes.IndexByte(found, ':') < 0 || bytes.Contains(found, []byte("‹")) {
		return span{}, from, false
	}
	return span{start: from, end: from + at}, from + at, true
}

// readPrivateKey reads a block of a private key that stands in one line: up to
// its end mark, or, where the line was cut, all the rest. A begin mark alone is
// no secret.
func readPrivateKey(_ *pattern, text []byte, at, from int) (span, int, bool) {
	const dashes = "-----"
	if !bytes.HasSuffix(text[:at], []byte(dashes)) || !privateKeyLabel(text[from:]) {
		return span{}, from, false
	}
	at -= len(dashes)
	if n := bytes.Index(text[from:], []byte("-----END ")); n >= 0 {
		end := from + n + len("-----END ")
		if m := bytes.Index(text[end:min(end+maxArmor, len(text))], []byte("-----")); m >= 0 {
			end += m + len("-----")
		}
		return span{start: at, end: end}, end, true
	}
	if longestRun(text[from:], base64Chars) < leastBody {
		return span{}, len(text), false
	}
	return span{start: at, end: len(text)}, len(text), true
}

// privateKeyLabel reports whether b goes on, after a begin or end mark, as a
// private key's does: `RSA PRIVATE KEY-----`, `PGP PRIVATE KEY BLOCK-----`.
func privateKeyLabel(b []byte) bool {
	label, _, ok := bytes.Cut(b[:min(maxArmor, len(b))], []byte("-----"))
	return ok && bytes.Contains(label, []byte("PRIVATE KEY"))
}

func longestRun(text []byte, set class) (longest int) {
	for i := 0; i < len(text); {
		end := run(text, i, set)
		longest = max(longest, end-i)
		i = end + 1
	}
	return longest
}

// words reports whether b is made of plain words: lower-case letters and what
// joins words, after a capital at most. No generated secret looks like that.
func words(b []byte) bool {
	for i, c := range b {
		if !isIn(c, lower|dash|underscore|dot|tokenSign) && !(i == 0 && isIn(c, upper)) {
			return false
		}
	}
	return true
}

const (
	maxCapitals = 12 // letters: how long an abbreviation may be
	maxVersion  = 4  // digits behind a word
)

// identifier reports whether b is a name that people give to packages, files and
// branches: words or abbreviations, each with a number behind it at most, joined
// by dashes, dots or underscores (`sk-learn-sha256-API-tests`). A generated key
// has a part that is none.
func identifier(b []byte) bool {
	for i := 0; i < len(b); i++ {
		first := i
		i = run(b, i, upper)
		capitals := i - first
		i = run(b, i, lower)
		letters := i - first
		i = run(b, i, digit)
		if capitals > 1 && letters > capitals || capitals > maxCapitals || i-first-letters > maxVersion {
			return false
		}
		if i < len(b) && !isIn(b[i], dash|underscore|dot|tokenSign) {
			return false
		}
	}
	return true
}
