package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Names that hold no secret's text by chance, as a real one would not.
const fuzzName1, fuzzName2 = "@@@@1", "@@@@2"

// ourWords are what this package writes itself.
var ourWords = regexp.MustCompile(`‹(?:@@@@[12]|[A-Za-z :]+|withheld: too many secrets in one line)›|… [0-9]+ more bytes$`)

// written are forms of a secret as other programs write them, made without
// this package's own code.
func written(v string) []string {
	quoted, _ := json.Marshal(v)
	fs := []string{v, url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]), hex.EncodeToString([]byte(v)),
		strings.ToUpper(hex.EncodeToString([]byte(v))), base64.RawStdEncoding.EncodeToString([]byte(v + "="))[:len(v)*8/6]}
	for _, before := range []string{"x", "xy"} {
		s := base64.RawURLEncoding.EncodeToString([]byte(before + v))
		fs = append(fs, s[len(before)+1:(len(before)+len(v))*8/6])
	}
	return fs
}

// fuzzSecret reports whether v is one that a form is looked for everywhere, and
// bears no name of ours.
func fuzzSecret(v string) bool {
	return utf8.RuneCountInString(v) >= minForms && utf8.ValidString(v) && v == tidy(v) &&
		!Ordinary(v) && !strings.ContainsAny(v, "@‹›…")
}

func addSeeds(f *testing.F) {
	for _, text := range []string{
		"a hunter22 b", "hunter2\x1b[1m2", "aHVudGVyMjI=", "68756e7465723232", "hunter22hunter22\nhunter22", `{"k":"p\"a+s s\u003c"}`,
		"p%22a%2Bs+s%3C", "Bearer hunter22", "https://u:hunter22@h/", "\x1b]0;hunter22", "\xff\xe2\x98hunter22\u202e", "‹@@@@1›hunter22",
		strings.Repeat("hunter22 ", 1000), strings.Repeat("x", lineLimit-4) + "hunter22" + strings.Repeat("y", lineLimit),
		"-----BEGIN PRIVATE KEY-----\nhunter22hunter22\n-----END PRIVATE KEY-----",
	} {
		f.Add("hunter22", `p"a+s s<`, text, uint16(3))
		f.Add("hunter22", "22hunter", text, uint16(4096))
	}
}

// No form of a secret is in the output, whatever the text and its chunking, and
// nothing that R3 takes out.
func FuzzNothingLeaks(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, one, two, text string, chunk uint16) {
		var sources []Source
		var hiddenForms []string
		for name, v := range map[string]string{fuzzName1: one, fuzzName2: two} {
			if !fuzzSecret(v) {
				continue
			}
			sources = append(sources, Source{name, NewSecret(v)})
			hiddenForms = append(hiddenForms, written(v)...)
		}
		r := New(sources)
		// The forms stand in the text too, and in its middle.
		if len(hiddenForms) > 0 {
			form := hiddenForms[int(chunk)%len(hiddenForms)]
			text = text[:len(text)/2] + form + text[len(text)/2:] + " " + form
		}
		outs := append(split(r, chunked(text, int(chunk)+1)...), r.Text(text).String())
		for _, out := range outs {
			checkShown(t, out)
			bare := ourWords.ReplaceAllString(out, "\x00")
			for _, form := range hiddenForms {
				if strings.Contains(bare, form) {
					t.Fatalf("secrets %q and %q in chunks of %d:\n%q shows %q", one, two, chunk+1, out, form)
				}
			}
			if again := r.Text(out).String(); again != out && !strings.HasSuffix(out, " more bytes") {
				t.Fatalf("%q, cleaned again, became %q", out, again)
			}
		}
	})
}

// suspect finds what may be a pattern's: any such text is left out of
// FuzzCleanTextIsLeft.
var suspect = func() *regexp.Regexp {
	prefixes := make([]string, len(patterns))
	for i := range patterns {
		prefixes[i] = regexp.QuoteMeta(patterns[i].prefix)
	}
	return regexp.MustCompile("(?i)" + strings.Join(prefixes, "|"))
}()

// Text that holds no secret, no pattern and no control sequence is unchanged.
func FuzzCleanTextIsLeft(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, one, two, text string, chunk uint16) {
		if !utf8.ValidString(text) || suspect.MatchString(text) || strings.ContainsAny(text, `%\`) ||
			strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }) {
			return
		}
		var sources []Source
		for name, v := range map[string]string{fuzzName1: one, fuzzName2: two} {
			sources = append(sources, Source{name, NewSecret(v)})
			for _, part := range values(v) {
				for _, form := range forms(part, "") {
					if strings.Contains(strings.ReplaceAll(text, "\n", " "), form.text[:min(8, len(form.text))]) {
						return
					}
				}
			}
		}
		r := New(sources)
		if got, wanted := r.Text(text).String(), strings.ReplaceAll(text, "\n", " "); got != wanted {
			t.Fatalf("%q became %q", text, got)
		}
		var wanted []string
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); len(line) > lineLimit {
				return
			}
			if strings.TrimSpace(line) != "" {
				wanted = append(wanted, line)
			}
		}
		wantLines(t, split(r, chunked(text, int(chunk)+1)...), wanted...)
	})
}
