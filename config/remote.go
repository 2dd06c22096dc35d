package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"rollcall/model"
	"rollcall/redact"
)

// readURL checks a url (C2). What is wrong is said without repeating any of it.
func readURL(text string) (*url.URL, model.Transport, fault) {
	u, err := url.Parse(text)
	hint := redact.Word("write a URL such as https://example.com/mcp or ws://127.0.0.1:8765")
	if err != nil {
		return nil, 0, fault{redact.Word("not a URL that can be read"), hint}
	}
	transport := model.HTTP
	switch strings.ToLower(u.Scheme) {
	case "ws", "wss":
		transport = model.WebSocket
	case "http", "https":
	default:
		return nil, 0, fault{redact.Word("its scheme is none of ws, wss, http and https"), hint}
	}
	if u.Hostname() == "" {
		return nil, 0, fault{redact.Word("it names no host"), hint}
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return nil, 0, fault{redact.Word("its port is not from 1 to 65535"), hint}
		}
	}
	return u, transport, fault{}
}

// urlSecrets takes userinfo and all query values as secret, as they stand in the
// URL and decoded, and what ${…} put there (R1).
func (s *secrets) urlSecrets(u *url.URL, e expanded, at *node) {
	s.refs(e, true)
	fromVariable := map[string]ref{}
	for _, r := range e.refs {
		fromVariable[r.value] = r
	}
	take := func(name, value string) {
		if r, ok := fromVariable[value]; ok {
			s.sends([]ref{r})
		} else {
			s.add(name, value, ofURL)
			if s.literal == nil && len(e.refs) == 0 && !s.public[name] && !s.exempt(value) {
				s.literal = at
			}
		}
	}
	if u.User != nil {
		take("url.user", u.User.Username())
		if password, ok := u.User.Password(); ok {
			take("url.password", password)
		}
	}
	for _, pair := range strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		key, raw, _ := strings.Cut(pair, "=")
		if k, err := url.QueryUnescape(key); err == nil {
			key = k
		}
		take("url."+key, raw)
		if plain, err := url.QueryUnescape(raw); err == nil && plain != raw {
			take("url."+key, plain)
		}
	}
}

// maxShownPairs bounds how many of a URL's query values are named where it is
// shown.
const maxShownPairs = 64

// shownURL is a URL without its userinfo, and with its query values hidden.
func shownURL(u *url.URL, r *redact.Redactor) redact.Safe {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	var pairs []redact.Safe
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		key, _, ok := strings.Cut(pair, "=")
		if !ok {
			continue
		}
		if len(pairs) == maxShownPairs {
			pairs = append(pairs, redact.Word("…"))
			break
		}
		name := fieldName(key)
		pairs = append(pairs, redact.Sprintf("%s=‹url.%s›", name, name))
	}
	shown := r.Text(bare.String())
	if len(pairs) > 0 {
		shown = redact.Sprintf("%s?%s", shown, redact.Join("&", pairs...))
	}
	return shown
}

// isLoopback reports whether a host is this one, as far as its name says.
func isLoopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || net.ParseIP(host).IsLoopback()
}

// isHeaderName reports whether s is a header's name, as RFC 9110 has tokens.
func isHeaderName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(isBare(c) || strings.IndexByte("!#$%&'*+.^`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}

// isHeaderValue reports whether s can be sent as a header's value: it would else
// begin another header, or end them.
func isHeaderValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F })
}
