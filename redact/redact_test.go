package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// of builds a redactor from pairs of a name and a value.
func of(pairs ...string) *Redactor {
	var sources []Source
	for i := 0; i < len(pairs); i += 2 {
		sources = append(sources, Source{pairs[i], NewSecret(pairs[i+1])})
	}
	return New(sources)
}

// want checks what a text becomes, and that cleaning it again changes nothing.
func want(t *testing.T, r *Redactor, text, clean string) {
	t.Helper()
	got := r.Text(text).String()
	if got != clean {
		t.Errorf("Text(%q)\n got %q\nwant %q", text, got, clean)
	}
	if again := r.Text(got).String(); again != got {
		t.Errorf("Text(%q), cleaned again, became %q", got, again)
	}
}

const awkward = `p"a+ss/w<o>rd & é😀%41\x`

func TestR1_EveryFormOfASecretIsFound(t *testing.T) {
	r := of("PASSWORD", awkward)
	for name, form := range map[string]string{
		"plain":                    awkward,
		"query":                    url.QueryEscape(awkward),
		"query, lower hex":         lowerHex(url.QueryEscape(awkward)),
		"path":                     url.PathEscape(awkward),
		"path, lower hex":          lowerHex(url.PathEscape(awkward)),
		"URL, as browsers do":      `p%22a%2Bss%2Fw%3Co%3Erd%20%26%20%C3%a9%F0%9f%98%80%2541%5cx`,
		"URL, every character":     percentAll(awkward),
		"JSON":                     jsonEscaped(awkward, true),
		"JSON without HTML":        jsonEscaped(awkward, false),
		"JSON in ASCII":            jsonASCII(awkward),
		"JSON, slash escaped":      strings.ReplaceAll(jsonEscaped(awkward, false), "/", `\/`),
		"JSON in ASCII, slash too": strings.ReplaceAll(jsonASCII(awkward), "/", `\/`),
		"JSON in JSON":             jsonEscaped(jsonEscaped(awkward, false), false),
		"URL in JSON":              jsonEscaped(url.PathEscape(awkward), false),
		"JSON in a URL":            url.QueryEscape(jsonEscaped(awkward, false)),
		"hex":                      hex.EncodeToString([]byte(awkward)),
		"upper hex":                strings.ToUpper(hex.EncodeToString([]byte(awkward))),
	} {
		t.Run(name, func(t *testing.T) { want(t, r, "before "+form+" after", "before ‹PASSWORD› after") })
	}
}

// An escape that was begun before the secret must not swallow its beginning.
func TestR1_AnEscapeBegunBeforeASecretHidesNothing(t *testing.T) {
	const secret = "a1é<o>&p\"w/d"
	r := of("PW", secret)
	for before, form := range map[string]string{
		"%":      secret,
		"%2":     url.QueryEscape(secret),
		"100%2":  lowerHex(url.QueryEscape(secret)),
		"%%2":    url.PathEscape(secret),
		"%2%2":   lowerHex(url.PathEscape(secret)),
		`\`:      secret,
		`\u00`:   jsonEscaped(secret, true),
		`\x`:     jsonEscaped(secret, false),
		`\\\u00`: jsonASCII(secret),
	} {
		want(t, r, before+form, before+"‹PW›")
	}
}

func percentAll(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

func TestR1_Base64InEachAlignment(t *testing.T) {
	for _, secret := range []string{"hunter22", "hunter222", "hunter2222", "\xff\xfe?>?>?>\xffé??>"} {
		secret = tidy(secret)
		r := of("PW", secret)
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
			for before := range 4 {
				for after := range 4 {
					text := alphabet.EncodeToString([]byte("user"[:before] + secret + "tail"[:after]))
					got := r.Text(text).String()
					if !strings.Contains(got, "‹PW›") {
						t.Errorf("%d bytes before, %d after: %q became %q", before, after, text, got)
					}
					if before == 0 && after == 0 && got != "‹PW›" {
						t.Errorf("%q left something of its ends: %q", text, got)
					}
				}
			}
		}
	}
	want(t, of("PASS", "correct-horse"), "Basic "+base64.StdEncoding.EncodeToString([]byte("u:correct-horse")), "Basic dT‹PASS›")
}

func TestR1_ShortSecretsAreFoundPlainAndAsWholeWordsOnly(t *testing.T) {
	r := of("PIN", "abc1")
	want(t, r, "abc1", "‹PIN›")
	want(t, r, "pin=abc1, and 'abc1'.", "pin=‹PIN›, and '‹PIN›'.")
	want(t, r, "xabc1 abc12 abc1_ _abc1 éabc1", "xabc1 abc12 abc1_ _abc1 éabc1")
	want(t, r, base64.StdEncoding.EncodeToString([]byte("abc1")), "YWJjMQ==")
	want(t, of("SIGNS", "?!x!"), "a?!x!b", "a‹SIGNS›b") // its own edges are no letters
}

func TestR1_WhatIsExemptIsLeft(t *testing.T) {
	for _, v := range []string{"", "abc", "true", "FALSE", "0", "65535", "debug", "Info", "production"} {
		if !Ordinary(v) {
			t.Errorf("%q is a secret", v)
		}
		want(t, of("V", v), "said "+v+" again", "said "+v+" again")
	}
	for _, v := range []string{"654321", "0x1f", "debugger", "hunter2"} {
		if Ordinary(v) {
			t.Errorf("%q is no secret", v)
		}
		want(t, of("V", v), "said "+v+" again", "said ‹V› again")
	}
}

func TestR1_OverlappingSecretsBecomeOneMarkWithTheLongestsName(t *testing.T) {
	r := of("SHORT", "secret-one", "LONG", "my-secret-one-and-two", "OTHER", "and-two-and-three")
	want(t, r, "a my-secret-one-and-two b", "a ‹LONG› b")
	want(t, r, "a secret-one b", "a ‹SHORT› b")
	want(t, r, "a my-secret-one-and-two-and-three b", "a ‹LONG› b")
	want(t, r, "secret-onesecret-one", "‹SHORT›‹SHORT›")
	for _, r := range []*Redactor{of("SHORT", "secret-one", "LONG", "secret-one-two"), of("LONG", "secret-one-two", "SHORT", "secret-one")} {
		want(t, r, "secret-one-two, secret-one", "‹LONG›, ‹SHORT›") // both begin alike
	}
	want(t, of("A", "aaaaaaaa"), strings.Repeat("a", 21), "‹A›")
}

func TestR1_ALineOfAMultiLineSecretIsASecret(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\r\nAQEFAASCBKcwggSjAgEAAoIB\nx9==\n-----END PRIVATE KEY-----\n"
	r := of("KEY", key)
	want(t, r, "line 2 is AQEFAASCBKcwggSjAgEAAoIB, with x9==", "line 2 is ‹KEY›, with x9==")
	got := r.Text(base64.StdEncoding.EncodeToString([]byte(key))).String()
	if n := strings.Count(got, "‹KEY›"); n < 2 {
		t.Errorf("%d of 2 lines found in base64: %q", n, got)
	}
	want(t, of("PIN", "abc1\n"), "abc1", "‹PIN›") // one line, and its line break
}

func TestR1_TheCredentialsWithinAValueAreSecrets(t *testing.T) {
	want(t, of("AUTH", "Bearer zyxw-9876-vuts"), "token zyxw-9876-vuts refused", "token ‹AUTH› refused")
	want(t, of("AUTH", "Basic dXNlcjpjb3JyZWN0LWhvcnNl"), "password correct-horse refused", "password ‹AUTH› refused")
	want(t, of("URL", "amqp://u:cor%1B%5B1mrect%09-horse@q"), "password correct -horse refused", "password ‹URL› refused")
	r := of("DATABASE_URL", "postgres://app:c%40rrect-horse@db/app")
	want(t, r, "password c@rrect-horse refused", "password ‹DATABASE_URL› refused")
	want(t, r, "dial postgres://app:c%40rrect-horse@db/app", "dial ‹DATABASE_URL›")
}

func TestR1_ManySecretsAtOnce(t *testing.T) {
	var sources []Source
	for i := range 500 {
		sources = append(sources, Source{fmt.Sprintf("K%d", i), NewSecret(fmt.Sprintf("common-prefix-%03d-%d", i, i*i))})
	}
	r := New(sources)
	for i := range 500 {
		want(t, r, fmt.Sprintf("<common-prefix-%03d-%d>", i, i*i), fmt.Sprintf("<‹K%d›>", i))
	}
	want(t, r, "<common-prefix-500-1>", "<common-prefix-500-1>")
}

func TestR2_MarksAreLeft(t *testing.T) {
	r := of("TOKEN", "TOKEN", "API_KEY", "TOKEN›abcdefgh")
	want(t, r, "(token ‹TOKEN›) TOKEN", "(token ‹TOKEN›) ‹TOKEN›")
	want(t, r, "‹bearer token› ‹secret› ‹private key›", "‹bearer token› ‹secret› ‹private key›")
	want(t, of("PW", "hunter22"), "‹hunter22› ‹PW hunter22›", "‹‹PW›› ‹PW ‹PW››") // a mark of the server's own hides nothing
}

func TestR2_AMarkCompletesNoSecret(t *testing.T) {
	want(t, of("A", "first-secret", "B", "begin‹A›end"), "beginfirst-secretend", "‹B›")
	want(t, of("LONG", "long-secret", "PIN", "abc1"), "long-secretabc1", "‹LONG›‹PIN›")
}

func TestR2_NothingIsShownOfATextThatGrowsSecrets(t *testing.T) {
	// Each pass completes the next one's secret.
	pairs := []string{"S0", "secret-zero"}
	text := "secret-zero"
	for i := 1; i <= passes; i++ {
		pairs = append(pairs, fmt.Sprintf("S%d", i), fmt.Sprintf("open‹S%d›", i-1))
		text = "open" + text
	}
	want(t, of(pairs...), text, withheld)
}

func TestR2_ErrorsAreCleaned(t *testing.T) {
	r := of("TOKEN", "hunter22-hunter22")
	err := fmt.Errorf("dial: %w", errors.New("https://h/?t=hunter22-hunter22\nrefused"))
	if got := r.Error(err).String(); got != "dial: https://h/?t=‹TOKEN› refused" {
		t.Error(got)
	}
	if !r.Error(nil).IsZero() {
		t.Error("nil has a text")
	}
}

func TestR2_TextFromAnotherProcessIsCleanedAgain(t *testing.T) {
	var s Safe
	if err := json.Unmarshal([]byte(`"a\u001b[31mb Bearer abc123def456"`), &s); err != nil || s.String() != "ab Bearer ‹bearer token›" {
		t.Errorf("%q, %v", s, err)
	}
}

func TestR2_CutTextIsCutBetweenRunes(t *testing.T) {
	s := Word("aé‹")
	for n, wanted := range []string{"", "a", "a", "aé", "aé", "aé", "aé‹", "aé‹"} {
		if got, cut := s.Cut(n); got.String() != wanted || cut != (n < 6) {
			t.Errorf("Cut(%d) = %q, %v", n, got, cut)
		}
	}
}
