package redact

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestR3_ControlSequencesAreTakenOut(t *testing.T) {
	for name, c := range map[string]struct{ text, clean string }{
		"colour":                       {"\x1b[1;31mred\x1b[0m", "red"},
		"colour with colons":           {"\x1b[38:2::255:0:0mred\x1b[m", "red"},
		"private mode":                 {"\x1b[?1049hx\x1b[?25l", "x"},
		"intermediate byte":            {"\x1b[1 qx\x1b[!p", "x"},
		"8-bit CSI":                    {"\x9b31mred\x9b0m", "red"},
		"CSI as UTF-8":                 {"\u009b31mred\u009b0m", "red"},
		"cursor and erase":             {"a\x1b[2J\x1b[H\x1b[10Ab", "ab"},
		"title, BEL":                   {"\x1b]0;title\ax", "x"},
		"title, ST":                    {"\x1b]2;title\x1b\\x", "x"},
		"title, 8-bit":                 {"\x9d2;title\x9cx", "x"},
		"title, C1 as UTF-8":           {"\u009d2;title\u009cx", "x"},
		"title with UTF-8 like ST":     {"\x1b]0;a✜b\ax", "x"}, // e2 9c 9c
		"clipboard":                    {"\x1b]52;c;aHVudGVyMg==\ax", "x"},
		"hyperlink":                    {"\x1b]8;;https://evil\x1b\\link\x1b]8;;\x1b\\", "link"},
		"DCS":                          {"\x1bP1$r0m\x1b\\x", "x"},
		"tmux passthrough":             {"\x1bPtmux;\x1b\x1b]0;t\a\x1b\\x", "x"},
		"APC, PM, SOS":                 {"a\x1b_Gf=1\x1b\\b\x1b^p\x1b\\c\x1bXs\x1b\\d", "abcd"},
		"two-byte":                     {"a\x1bcb\x1b7c\x1b(Bd\x1b#8e", "abcde"},
		"C0":                           {"a\x00b\x07c\x08d\x0ee\x7ff", "abcdef"},
		"tab":                          {"a\tb", "a b"},
		"line breaks":                  {"a\nb\r\nc\rd\ve\ff\u0085g\u2028h\u2029i", "a b c d e f g h i"},
		"two line breaks":              {"a\r\r\nb\n\nc", "a  b  c"},
		"C1 alone":                     {"a\x84b\u0084c", "abc"},
		"bidi":                         {"a\u202eb\u202cc\u2066d\u2069e\u200ef\u200fg\u061ch", "abcdefgh"},
		"zero-width":                   {"a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg", "abcdefg"},
		"tags":                         {"a\U000e0041b\U000e007fc", "abc"},
		"unterminated CSI":             {"a\x1b[31", "a"},
		"unterminated OSC":             {"a\x1b]0;title", "a"},
		"unterminated escape":          {"a\x1b", "a"},
		"a line break ends a sequence": {"a\x1b]0;title\nb", "a b"},
		"CAN aborts":                   {"a\x1b[3\x18b\x1b]0;x\x1ac", "abc"},
		"ESC begins anew":              {"a\x1b[3\x1b[31mb\x1b]0;x\x1b[1mc", "abc"},
		"C0 within CSI":                {"\x1b[3\x001mred", "red"},
		"text within CSI":              {"\x1b[31é", "é"},
		"invalid UTF-8":                {"a\xffb\xe9c", "a\uFFFDb\uFFFDc"},
		"truncated rune":               {"a\xe2\x98 b\xf0\x9f\x98", "a\uFFFD b\uFFFD"}, // 0x98 is no SOS here
		"surrogate, overlong":          {"\xed\xa0\xbfx", "\uFFFD\uFFFD\uFFFDx"},
		"text":                         {"naïve ✜ 日本語 😀 \uFFFD ‹x›", "naïve ✜ 日本語 😀 \uFFFD ‹x›"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "surrogate, overlong" {
				c.clean = (*Redactor)(nil).Text(c.text).String() // how many U+FFFD is no matter
			}
			want(t, nil, c.text, c.clean)
			for n := 1; n < 4; n++ { // however it is cut in pieces
				var p stripper
				var got []byte
				for rest := []byte(c.text); len(rest) > 0; rest = rest[min(n, len(rest)):] {
					got = p.write(got, rest[:min(n, len(rest))])
				}
				if got = p.end(got); string(got) != c.clean {
					t.Errorf("in pieces of %d: %q, not %q", n, got, c.clean)
				}
			}
		})
	}
}

func TestR3_ASecretColouredInItsMiddleIsFound(t *testing.T) {
	r := of("TOKEN", "hunter22-hunter22", "TABBED", "tab\there\x1b[1m-now")
	want(t, r, "hun\x1b[31mter22\x1b]0;t\a-hun\u200bter\x0022\x1b[0m", "‹TOKEN›")
	want(t, r, "tab\there-\x1b[0mnow", "‹TABBED›") // the secret itself holds some
}

// checkShown fails where s holds what R3 takes out.
func checkShown(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Fatalf("invalid UTF-8 in %q", s)
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }); i >= 0 {
		t.Fatalf("control or formatting character at %d of %q", i, s)
	}
}
