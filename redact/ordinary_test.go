package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// logWriter writes lines as healthy servers print them. Nothing in them is a
// secret, and much of it is as random as one.
type logWriter struct{ *rand.Rand }

func (w logWriter) hex(n int) string { return hex.EncodeToString(w.bytes((n + 1) / 2))[:n] }

func (w logWriter) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.Uint32())
	}
	return b
}

func (w logWriter) base64(n int) string { return base64.StdEncoding.EncodeToString(w.bytes(n)) }

func (w logWriter) uuid() string {
	h := w.hex(32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

func (w logWriter) time() string {
	return time.UnixMilli(1_700_000_000_000 + w.Int64N(1e11)).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (w logWriter) word() string { return logWords[w.IntN(len(logWords))] }

var logWords = strings.Fields(`server client request response session token handler cache index database query table worker queue job
	task-runner api-gateway http2 tls1.3 utf-8 sk-learn npm_config hf_hub pypi-proxy glob-parent xai-tools authorizer bearing keyboard
	risk-analysis-of-components disk-usage-report mask-rcnn-inception-resnet ask-for-permission-dialog desk-booking-service-frontend
	AKIRA SGML SG.pool lin_alg ntn_count gsk_mode dapi-core ghp_pages pulse sgp_local LTAIR API-VERSION sha256 Basic Digest`)

// plain is a word of letters, as stand behind "authorization:".
func (w logWriter) plain() string { return plainWords[w.IntN(len(plainWords))] }

var plainWords = []string{"required", "missing", "expired", "invalid", "token", "authentication", "none", "accepted"}

// line is one of sixteen kinds.
func (w logWriter) line() string {
	switch w.IntN(16) {
	case 0:
		return fmt.Sprintf("%s INFO  %s: %s %s took %d ms", w.time(), w.word(), w.word(), w.word(), w.IntN(5000))
	case 1:
		return fmt.Sprintf("HEAD is now at %s %s the %s", w.hex(7+w.IntN(34)), w.word(), w.word())
	case 2:
		return fmt.Sprintf(`{"level":30,"time":%d,"reqId":"%s","traceId":"%s","msg":"%s %s"}`, w.Int64N(1e13), w.uuid(), w.hex(32), w.word(), w.word())
	case 3:
		return "data:image/png;base64,iVBORw0KGgo" + w.base64(30+w.IntN(900))
	case 4:
		return fmt.Sprintf("    at async %s.%s (file:///app/node_modules/@%s/%s/dist/index.js:%d:%d)", w.word(), w.word(), w.word(), w.word(), w.IntN(999), w.IntN(99))
	case 5:
		return fmt.Sprintf("npm warn deprecated %s@%d.%d.%d: use %s instead, see https://github.com/%s/%s", w.word(), w.IntN(9), w.IntN(9), w.IntN(9), w.word(), w.word(), w.word())
	case 6:
		return fmt.Sprintf("  \"integrity\": \"sha512-%s\",", w.base64(64))
	case 7:
		return fmt.Sprintf("GET https://api.example.com/v1/%s/%s?page=%d&etag=%s 200 %d", w.word(), w.uuid(), w.IntN(50), w.hex(40), w.IntN(90000))
	case 8:
		return fmt.Sprintf("docker: %s@sha256:%s: Pulling from library/%s", w.word(), w.hex(64), w.word())
	case 9:
		return fmt.Sprintf("goroutine %d [running]: main.(*%s).%s(0x%s, {0x%s, 0x%s})", w.IntN(999), w.word(), w.word(), w.hex(10), w.hex(12), w.hex(2))
	case 10:
		return fmt.Sprintf("%s - - [%s] \"POST /%s HTTP/1.1\" 401 %d \"-\" \"curl/8.5.0\" Bearer token is %s", "10.0.0.7", w.time(), w.word(), w.IntN(999), w.plain())
	case 11:
		return fmt.Sprintf("ssh-rsa %s %s@%s", "AAAAB3NzaC1yc2EAAAADAQABAAABAQ"+w.base64(256), w.word(), w.word())
	case 12:
		return fmt.Sprintf("authorization: %s required for %s; WWW-Authenticate: Bearer realm=\"%s\"; the bearer %s is checked", w.plain(), w.word(), w.word(), w.plain())
	case 13:
		return fmt.Sprintf("WARN %s redis://cache-%d:6379/%d ssh://git@%s/%s.git %s@%s", w.time(), w.IntN(9), w.IntN(9), w.word(), w.word(), w.word(), w.word())
	case 14:
		return fmt.Sprintf("chunk-%s.js  %d kB │ gzip: %d kB  %s_%s-%s", w.base64(6)[:8], w.IntN(900), w.IntN(300), w.word(), w.word(), w.word())
	}
	return fmt.Sprintf("%s_%d %s-%s-%s-%s: %s", strings.ToUpper(w.word()), w.IntN(99), w.word(), w.word(), w.word(), w.word(), w.base64(9))
}

// In 10 MB of what servers print when nothing is wrong, fewer than one line in
// 10,000 is mutilated.
func TestR1_OrdinaryLogsAreLeft(t *testing.T) {
	const size = 10 << 20
	w := logWriter{rand.New(rand.NewPCG(4711, 1))}
	lines, wrong := 0, 0
	for n := 0; n < size; lines++ {
		line := w.line()
		n += len(line) + 1
		if got := (*Redactor)(nil).Text(line).String(); got != line {
			if wrong++; wrong <= 10 {
				t.Logf("became %s\nwas    %s", got, line)
			}
		}
	}
	t.Logf("%d of %d lines were changed", wrong, lines)
	if wrong*10_000 >= lines {
		t.Errorf("%d of %d lines were changed, want fewer than 1 in 10,000", wrong, lines)
	}
}

// Each key is found alone, quoted, and in a URL, at the least length that its
// row of the table says, and is left where it is a character shorter.
func TestR1_EachKeyOfTheTableIsFound(t *testing.T) {
	w := logWriter{rand.New(rand.NewPCG(4711, 2))}
	for _, p := range patterns[:] {
		if p.least == 0 || p.prefix == "eyJ" {
			continue
		}
		key := p.prefix + w.of(p.alphabet, p.least)
		for _, around := range [][2]string{{"", ""}, {`"`, `"`}, {"key=", "&x=y"}, {"(", ")"}, {"token: ", ", retrying"}} {
			want(t, nil, around[0]+key+around[1], around[0]+p.mark+around[1])
		}
		short := key[:len(key)-1]
		if got := (*Redactor)(nil).Text(short).String(); strings.Contains(got, p.mark) {
			t.Errorf("%s with %d characters became %s", p.prefix, p.least-1, got)
		}
	}
}

// of are n characters of a class, digits among them.
func (w logWriter) of(set class, n int) string {
	var all []byte
	for c := range 128 {
		if isIn(byte(c), set&alnum) {
			all = append(all, byte(c))
		}
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = all[w.IntN(len(all))]
	}
	b[0] = '7'
	return string(b)
}
