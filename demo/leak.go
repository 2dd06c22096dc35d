package demo

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
)

// secrets are the values that the server lets out: those of the variables that
// --leak names, and of --api-key.
func (s *server) secrets() []string {
	var values []string
	for name := range strings.SplitSeq(s.leak, ",") {
		if v := os.Getenv(name); v != "" {
			values = append(values, v)
		}
	}
	if s.apiKey != "" {
		values = append(values, s.apiKey)
	}
	return values
}

// leaked is what is added to whatever the server says of itself: all secrets,
// of 100 bytes at most, so that it fits into a close reason.
func (s *server) leaked() string {
	all := ""
	for _, v := range s.secrets() {
		if all += " " + v; len(all) > 100 {
			break
		}
	}
	return all[:min(len(all), 100)]
}

// spill prints each secret on stderr in all the ways in which programs print one.
func (s *server) spill() {
	for _, v := range s.secrets() {
		quoted, _ := json.Marshal(v) // a string always encodes
		for _, text := range []string{
			"long " + strings.Repeat("x", 8<<10-5-len(v)/2) + v + " and more",
			"plain " + v, "quoted " + string(quoted), fmt.Sprintf("ascii %+q", v), "query " + url.QueryEscape(v), "path " + url.PathEscape(v),
			"lower " + strings.ReplaceAll(url.QueryEscape(v), "%2F", "%2f"),
			"hex " + hex.EncodeToString([]byte(v)) + " " + strings.ToUpper(hex.EncodeToString([]byte(v))),
			"base64 " + base64.StdEncoding.EncodeToString([]byte(v)) + " " + base64.URLEncoding.EncodeToString([]byte("x"+v)) +
				" " + base64.StdEncoding.EncodeToString([]byte("xy"+v+"z")),
			"coloured " + v[:len(v)/2] + "\x1b[31m" + v[len(v)/2:] + "\x1b[0m",
			"drawn over\rloading " + v + "\r",
		} {
			s.say("%s", text)
		}
		s.spillHalves("halves "+v+"\n", len("halves ")+len(v)/2)
	}
}

// spillHalves prints text in two writes.
func (s *server) spillHalves(text string, at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.log, text[:at])
	_, _ = io.WriteString(s.log, text[at:])
}

// spillNoise prints each secret on stdout, where it is no JSON-RPC.
func (s *server) spillNoise(out io.Writer, mu *sync.Mutex) {
	mu.Lock()
	defer mu.Unlock()
	for _, v := range s.secrets() {
		fmt.Fprintf(out, "[info] using %s\n", v)
	}
}

// spillRequest prints what a request holds, its credentials too.
func (s *server) spillRequest(req *http.Request) {
	if s.leak != "" || s.apiKey != "" {
		user, password, _ := req.BasicAuth()
		s.say("request %s %v user %s password %s", req.URL, req.Header, user, password)
	}
}

// attack is what a hostile server sends to the terminal of whoever reads its
// stderr: a title, the clipboard, the bell, links, device control, moves of the
// cursor, text turned around, and at last a title without an end.
const attack = "before\x1b]0;HACKED title\x07 \x1b]2;HACKED title\x1b\\ \x1b]52;c;SEFDS0VE\x07 \x9d52;c;SEFDS0VE\x9c\n" +
	"bell\x07\x07 \x1b]8;;http://HACKED.example/\x1b\\link\x1b]8;;\x1b\\ \x1bP$q HACKED\x1b\\ \x1b_HACKED\x1b\\ \x1b^HACKED\x1b\\\n" +
	"\x1b[2J\x1b[H\x1b[1;1Htop\x1b[999Bbottom \x1b[?1049l \x1b[?25l \x1b[?1000h \x1bc \x9b2J \u009b2J \x1b[5n \x1b[c\n" +
	"\u202eturned around\u202c \u2066isolated\u2069 zero\u200bwidth \xff\xfe\xc3( wide 漢字\u0301\n" +
	"progress\rHACK\rdone\n" +
	"after everything\n" +
	"\x1b]0;HACKED without an end"

// attackAll prints the attack.
func (s *server) attackAll() { s.spillHalves(attack, len(attack)/2) }
