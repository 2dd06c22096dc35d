package redact

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// split is what Lines makes of the chunks.
func split(r *Redactor, chunks ...string) []string {
	var lines []string
	l := NewLines(r, func(s Safe) { lines = append(lines, s.String()) })
	for _, c := range chunks {
		_, _ = l.Write([]byte(c))
	}
	l.Flush()
	return lines
}

// chunked cuts s into pieces of n bytes.
func chunked(s string, n int) []string {
	var chunks []string
	for b := range slices.Chunk([]byte(s), n) {
		chunks = append(chunks, string(b))
	}
	return chunks
}

func wantLines(t *testing.T, got []string, wanted ...string) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Errorf("\n got %.200q\nwant %.200q", got, wanted)
	}
}

func TestT3_LinesAreSplitHoweverTheyAreChunked(t *testing.T) {
	const text = "one\ntwo\r\nthree\rfour\n\n\r\r\n  \n\x1b[0m\nfünf ✜\r\r\n\x1b]0;open title\nsix\x1b[\nseven"
	for n := 1; n <= len(text); n++ {
		wantLines(t, split(nil, chunked(text, n)...), "one", "two", "three", "four", "fünf ✜", "six", "seven")
	}
	wantLines(t, split(nil), []string{}...)
	wantLines(t, split(nil, "\xe2\x98"), "\uFFFD")
}

func TestT3_AProgressBarIsALineAStep(t *testing.T) {
	var text strings.Builder
	var wanted []string
	for i := range 5000 {
		wanted = append(wanted, fmt.Sprintf("%d of 5000", i))
		text.WriteString(wanted[i] + "\r")
	}
	wantLines(t, split(nil, text.String()), wanted...)
}

func TestT3_ALongLineIsCutAndSaysSo(t *testing.T) {
	for _, size := range []int{lineLimit - 1, lineLimit, lineLimit + 1, lineLimit + lineSlack, lineLimit + lineSlack + 1, 1 << 20} {
		line := strings.Repeat("x", size)
		wanted := line
		if size > lineLimit {
			wanted = fmt.Sprintf("%s… %d more bytes", line[:lineLimit], size-lineLimit)
		}
		for _, n := range []int{1000, 4096, 1 << 20} {
			wantLines(t, split(nil, chunked("before\n"+line+"\nafter", n)...), "before", wanted, "after")
		}
	}
	// Between runes, and with an escape sequence that counts for nothing.
	line := strings.Repeat("€", lineLimit/3) + "\x1b[0m€ and more"
	wantLines(t, split(nil, line), fmt.Sprintf("%s… %d more bytes", strings.Repeat("€", lineLimit/3), len("€ and more")))
}

func TestR2_ASecretSplitOverReadsIsFound(t *testing.T) {
	r := of("TOKEN", "hunter22-hunter22", "PIN", "abc1")
	const text = "a hun\x1b[1mter22-hunter22 b abc1\nhunter22-hunter22"
	for n := 1; n <= len(text); n++ {
		wantLines(t, split(r, chunked(text, n)...), "a ‹TOKEN› b ‹PIN›", "‹TOKEN›")
	}
}

func TestR2_ASecretAtTheLineLimitIsFound(t *testing.T) {
	const secret = "hunter22-hunter22"
	r := of("TOKEN", secret)
	for before := lineLimit - len(secret) - 12; before < lineLimit+3; before++ {
		for _, tail := range []string{"", " tail", strings.Repeat(" tail", 5000)} {
			lines := split(r, strings.Repeat("x", before)+secret+tail)
			if body := lines[0]; strings.Contains(body, "hunte") || len(body) > lineLimit+30 {
				t.Fatalf("after %d bytes, with %d behind: %q", before, len(tail), body[lineLimit-40:])
			}
		}
	}
	wantLines(t, split(r, strings.Repeat("x", lineLimit-3)+secret+"yz"), strings.Repeat("x", lineLimit-3)+"… 19 more bytes") // no room for the mark
	wantLines(t, split(r, strings.Repeat("x", lineLimit-20)+secret+"yz12"), strings.Repeat("x", lineLimit-20)+"‹TOKEN›yz1… 1 more bytes")
}

func TestR2_ASecretLongerThanWhatIsHeldIsFoundByItsBeginning(t *testing.T) {
	secret := strings.Repeat("0123456789abcdef-ghij", 2000)
	r := of("HUGE", secret)
	wantLines(t, split(r, "key "+secret), fmt.Sprintf("key ‹HUGE›… %d more bytes", len(secret)-lineLimit-lineSlack+len("key ")))
	wantLines(t, split(r, "key "+secret+"\n", "next"), fmt.Sprintf("key ‹HUGE›… %d more bytes", len(secret)-lineLimit-lineSlack+len("key ")), "next")
}

func TestR2_ASecretCutByACrashIsFound(t *testing.T) {
	r := of("TOKEN", "hunter22-hunter22")
	wantLines(t, split(r, "token hunter22-hun"), "token ‹TOKEN›")
	wantLines(t, split(r, "token hunter22-hun\n"), "token hunter22-hun") // a whole line holds no secret
}

func TestR1_AKeyBlockIsHiddenLineByLine(t *testing.T) {
	body := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 3)
	text := "loading\n-----BEGIN PRIVATE KEY-----\n" + body + "[info] in between\n" + body + "x9==\n-----END PRIVATE KEY-----\nready\n"
	const k = privateKeyMark
	wanted := []string{"loading", "-----BEGIN PRIVATE KEY-----", k, k, k, "[info] in between", k, k, k, k, "-----END PRIVATE KEY-----", "ready"}
	wantLines(t, split(nil, text), wanted...)
	wantLines(t, split(nil, chunked(text, 7)...), wanted...)
	logged := strings.ReplaceAll(text, "MIIE", "12:00:01 out: MIIE")
	wantLines(t, split(nil, logged), wanted...)
	wantLines(t, split(nil, "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0B\n"), "-----BEGIN CERTIFICATE-----", "MIIEvQIBADANBgkqhkiG9w0B")
}

func TestR3_ASequenceOfTenMegabytesCostsNoMemory(t *testing.T) {
	var lines []string
	l := NewLines(of("TOKEN", "hunter22-hunter22"), func(s Safe) { lines = append(lines, s.String()) })
	chunk := []byte(strings.Repeat("title hunter22-hunter22 ", 1000))
	_, _ = l.Write([]byte("hunter22\x1b]0;"))
	for range 10 << 20 / len(chunk) {
		_, _ = l.Write(chunk)
		if cap(l.buf) > 24<<10 {
			t.Fatalf("holds %d bytes", cap(l.buf))
		}
	}
	_, _ = l.Write([]byte("\a-hunter22 after\n"))
	for range 10 << 20 / len(chunk) { // text, this time
		_, _ = l.Write(chunk)
		if cap(l.buf) > 24<<10 {
			t.Fatalf("holds %d bytes", cap(l.buf))
		}
	}
	_, _ = l.Write([]byte("\n"))
	if cap(l.buf) > 0 {
		t.Errorf("holds %d bytes after the line", cap(l.buf))
	}
	if len(lines) != 2 || lines[0] != "‹TOKEN› after" || !strings.Contains(lines[1], "‹TOKEN› title") || !utf8.ValidString(lines[1]) {
		t.Errorf("%.200q", lines)
	}
}

// The stored string is all that a clean line costs.
func TestT3_ACleanLineIsNotCopied(t *testing.T) {
	r := New(hundredSecrets())
	l := NewLines(r, func(Safe) {})
	chunk := []byte(cleanLog)
	lines := strings.Count(cleanLog, "\n")
	if n := testing.AllocsPerRun(10, func() { _, _ = l.Write(chunk) }); n > float64(lines) {
		t.Errorf("%v allocations for %d lines", n, lines)
	}
}
