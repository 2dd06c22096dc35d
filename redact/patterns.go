package redact

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
)

// pattern is what a secret looks like, whatever its source.
type pattern struct {
	// prefix begins with a letter or digit, and counts at a word's beginning; or
	// with a colon, and counts everywhere.
	prefix string
	mark   string // shown in its place
	// read looks at the text after the prefix at text[at:from]. It returns the
	// secret's span, or ok false and the index before which the pattern need
	// not be tried again, so that no text takes quadratic time.
	read     func(p *pattern, text []byte, at, from int) (s span, next int, ok bool)
	alphabet class // of a key's characters after its prefix
	least    int   // how many of them there are at least
	fold     bool  // the prefix counts in upper and lower case
}

// patterns are the forms of credentials, then the prefixes of well-known keys:
// those that stand for themselves in the default rules of
// github.com/gitleaks/gitleaks (v8.30.0), and a few that issuers document. Left
// out are its rules that need a word beside the key, and prefixes of two
// letters. Lengths are lower than there, so that a key that its printer has
// shortened is found too, but high enough that no word of a log is one.
var patterns = [...]pattern{
	{prefix: "bearer", mark: "‹bearer token›", read: readBearer, fold: true},
	{prefix: "authorization", mark: "‹authorization›", read: readAuthorization, fold: true},
	{prefix: "://", mark: "‹user:password›", read: readUserinfo},
	{prefix: "BEGIN ", mark: privateKeyMark, read: readPrivateKey},
	{prefix: "eyJ", mark: "‹JWT›", read: readJWT, alphabet: wordChars | dash | dot, least: 24},

	{prefix: "ghp_", mark: "‹GitHub token›", read: readKey, alphabet: alnum, least: 20},
	{prefix: "gho_", mark: "‹GitHub token›", read: readKey, alphabet: alnum, least: 20},
	{prefix: "ghu_", mark: "‹GitHub token›", read: readKey, alphabet: alnum, least: 20},
	{prefix: "ghs_", mark: "‹GitHub token›", read: readKey, alphabet: alnum, least: 20},
	{prefix: "ghr_", mark: "‹GitHub token›", read: readKey, alphabet: alnum, least: 20},
	{prefix: "github_pat_", mark: "‹GitHub token›", read: readKey, alphabet: wordChars, least: 20},
	{prefix: "glpat-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "gldt-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glrt-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glft-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glimt-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glsoat-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glffct-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glptt-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "GR1348941", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash | dot, least: 18},
	{prefix: "glcbt-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash, least: 20},
	{prefix: "glagent-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash, least: 20},
	{prefix: "gloas-", mark: "‹GitLab token›", read: readKey, alphabet: wordChars | dash, least: 20},
	{prefix: "AKIA", mark: "‹AWS key id›", read: readKey, alphabet: upper | digit, least: 16},
	{prefix: "ASIA", mark: "‹AWS key id›", read: readKey, alphabet: upper | digit, least: 16},
	{prefix: "ABIA", mark: "‹AWS key id›", read: readKey, alphabet: upper | digit, least: 16},
	{prefix: "ACCA", mark: "‹AWS key id›", read: readKey, alphabet: upper | digit, least: 16},
	{prefix: "ABSK", mark: "‹AWS Bedrock key›", read: readKey, alphabet: alnum | base64Sign, least: 80},
	{prefix: "AIza", mark: "‹Google API key›", read: readKey, alphabet: wordChars | dash, least: 30},
	{prefix: "ya29.", mark: "‹Google token›", read: readKey, alphabet: wordChars | dash | dot, least: 20},
	{prefix: "GOCSPX-", mark: "‹Google client secret›", read: readKey, alphabet: wordChars | dash, least: 20},
	{prefix: "LTAI", mark: "‹Alibaba key id›", read: readKey, alphabet: alnum, least: 16},
	{prefix: "sk-", mark: "‹API key›", read: readKey, alphabet: wordChars | dash, least: 20},
	{prefix: "sk_live_", mark: "‹Stripe key›", read: readKey, alphabet: alnum, least: 10},
	{prefix: "sk_test_", mark: "‹Stripe key›", read: readKey, alphabet: alnum, least: 10},
	{prefix: "sk_prod_", mark: "‹Stripe key›", read: readKey, alphabet: alnum, least: 10},
	{prefix: "rk_live_", mark: "‹Stripe key›", read: readKey, alphabet: alnum, least: 10},
	{prefix: "rk_test_", mark: "‹Stripe key›", read: readKey, alphabet: alnum, least: 10},
	{prefix: "rk_prod_", mark: "‹Stripe key›", read: readKey, alphabet: alnum, least: 10},
	{prefix: "xoxa-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xoxb-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xoxe-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xoxo-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xoxp-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xoxr-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xoxs-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 10},
	{prefix: "xapp-", mark: "‹Slack token›", read: readKey, alphabet: alnum | dash, least: 20},
	{prefix: "hooks.slack.com/", mark: "‹Slack webhook›", read: readKey, alphabet: alnum | base64Sign, least: 30},
	{prefix: "webhook.office.com/webhookb2/", mark: "‹Teams webhook›", read: readKey, alphabet: wordChars | dash | base64Sign | atSign, least: 40},
	{prefix: "discord.com/api/webhooks/", mark: "‹Discord webhook›", read: readKey, alphabet: wordChars | dash | base64Sign, least: 40},
	{prefix: "npm_", mark: "‹npm token›", read: readKey, alphabet: alnum, least: 30},
	{prefix: "pypi-", mark: "‹PyPI token›", read: readKey, alphabet: wordChars | dash, least: 50},
	{prefix: "rubygems_", mark: "‹RubyGems key›", read: readKey, alphabet: digit | lower, least: 40},
	{prefix: "CLOJARS_", mark: "‹Clojars token›", read: readKey, alphabet: alnum, least: 50},
	{prefix: "dckr_pat_", mark: "‹Docker token›", read: readKey, alphabet: wordChars | dash, least: 20},
	{prefix: "hf_", mark: "‹Hugging Face token›", read: readKey, alphabet: alnum, least: 30},
	{prefix: "api_org_", mark: "‹Hugging Face token›", read: readKey, alphabet: alnum, least: 30},
	{prefix: "gsk_", mark: "‹Groq key›", read: readKey, alphabet: alnum, least: 40},
	{prefix: "xai-", mark: "‹xAI key›", read: readKey, alphabet: alnum, least: 40},
	{prefix: "pplx-", mark: "‹Perplexity key›", read: readKey, alphabet: alnum, least: 40},
	{prefix: "SG.", mark: "‹SendGrid key›", read: readKey, alphabet: wordChars | dash | dot, least: 50},
	{prefix: "xkeysib-", mark: "‹Brevo key›", read: readKey, alphabet: digit | lower | dash, least: 60},
	{prefix: "dop_v1_", mark: "‹DigitalOcean token›", read: readKey, alphabet: digit | lower, least: 40},
	{prefix: "doo_v1_", mark: "‹DigitalOcean token›", read: readKey, alphabet: digit | lower, least: 40},
	{prefix: "dor_v1_", mark: "‹DigitalOcean token›", read: readKey, alphabet: digit | lower, least: 40},
	{prefix: "shpat_", mark: "‹Shopify token›", read: readKey, alphabet: alnum, least: 32},
	{prefix: "shpca_", mark: "‹Shopify token›", read: readKey, alphabet: alnum, least: 32},
	{prefix: "shppa_", mark: "‹Shopify token›", read: readKey, alphabet: alnum, least: 32},
	{prefix: "shpss_", mark: "‹Shopify token›", read: readKey, alphabet: alnum, least: 32},
	{prefix: "hvs.", mark: "‹Vault token›", read: readKey, alphabet: wordChars | dash, least: 24},
	{prefix: "hvb.", mark: "‹Vault token›", read: readKey, alphabet: wordChars | dash, least: 24},
	{prefix: "ops_eyJ", mark: "‹1Password token›", read: readKey, alphabet: alnum | base64Sign, least: 60},
	{prefix: "lin_api_", mark: "‹Linear key›", read: readKey, alphabet: alnum, least: 32},
	{prefix: "ntn_", mark: "‹Notion token›", read: readKey, alphabet: alnum, least: 40},
	{prefix: "dapi", mark: "‹Databricks token›", read: readKey, alphabet: digit | lower, least: 32},
	{prefix: "dp.pt.", mark: "‹Doppler token›", read: readKey, alphabet: alnum, least: 40},
	{prefix: "dt0c01.", mark: "‹Dynatrace token›", read: readKey, alphabet: alnum | dot, least: 80},
	{prefix: "glc_", mark: "‹Grafana token›", read: readKey, alphabet: wordChars | base64Sign, least: 32},
	{prefix: "glsa_", mark: "‹Grafana token›", read: readKey, alphabet: wordChars | base64Sign, least: 32},
	{prefix: "HRKU-AA", mark: "‹Heroku key›", read: readKey, alphabet: wordChars | dash, least: 50},
	{prefix: "fm1a_", mark: "‹Fly.io token›", read: readKey, alphabet: alnum | base64Sign, least: 80},
	{prefix: "fm1r_", mark: "‹Fly.io token›", read: readKey, alphabet: alnum | base64Sign, least: 80},
	{prefix: "fm2_", mark: "‹Fly.io token›", read: readKey, alphabet: alnum | base64Sign, least: 80},
	{prefix: "fo1_", mark: "‹Fly.io token›", read: readKey, alphabet: wordChars | dash, least: 40},
	{prefix: "pscale_tkn_", mark: "‹PlanetScale token›", read: readKey, alphabet: wordChars | dash | dot, least: 30},
	{prefix: "pscale_oauth_", mark: "‹PlanetScale token›", read: readKey, alphabet: wordChars | dash | dot, least: 30},
	{prefix: "pscale_pw_", mark: "‹PlanetScale token›", read: readKey, alphabet: wordChars | dash | dot, least: 30},
	{prefix: "PMAK-", mark: "‹Postman key›", read: readKey, alphabet: digit | lower | dash, least: 50},
	{prefix: "pul-", mark: "‹Pulumi token›", read: readKey, alphabet: digit | lower, least: 40},
	{prefix: "sntrys_", mark: "‹Sentry token›", read: readKey, alphabet: wordChars | base64Sign, least: 60},
	{prefix: "sntryu_", mark: "‹Sentry token›", read: readKey, alphabet: digit | lower, least: 60},
	{prefix: "sgp_", mark: "‹Sourcegraph token›", read: readKey, alphabet: wordChars, least: 40},
	{prefix: "sq0atp-", mark: "‹Square token›", read: readKey, alphabet: wordChars | dash, least: 22},
	{prefix: "sha256~", mark: "‹OpenShift token›", read: readKey, alphabet: wordChars | dash, least: 40},
	{prefix: "API-", mark: "‹Octopus key›", read: readKey, alphabet: upper | digit, least: 26},
	{prefix: "AKCp", mark: "‹Artifactory key›", read: readKey, alphabet: alnum, least: 60},
	{prefix: "AGE-SECRET-KEY-1", mark: "‹age key›", read: readKey, alphabet: upper | digit, least: 40},
}

const privateKeyMark = "‹private key›"

// begins reports whether text holds the prefix at i, an index of nextPrefix.
func (p *pattern) begins(text []byte, i int) bool {
	n := len(p.prefix)
	if len(text) < i+n {
		return false
	}
	if p.fold {
		return bytes.EqualFold(text[i:i+n], []byte(p.prefix))
	}
	return string(text[i:i+n]) == p.prefix
}

// findPatterns appends a span for each pattern in text.
func findPatterns(spans []span, text []byte) []span {
	i := nextPrefix(text, 0)
	if i < 0 {
		return spans
	}
	var next [len(patterns)]int
	for ; i >= 0; i = nextPrefix(text, i+1) {
		for _, k := range prefixes.patterns[prefixes.slots[prefixSlot(text[i:])]] {
			p := &patterns[k]
			if i < next[k] || !p.begins(text, i) {
				continue
			}
			s, n, ok := p.read(p, text, i, i+len(p.prefix))
			if next[k] = n; ok {
				s.mark = p.mark
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// prefixes finds the patterns that may begin at three bytes: most text is
// passed over by it alone.
var prefixes = prefixTable()

type prefixIndex struct {
	slots    [1 << 12]uint8 // by prefixSlot: an index of patterns, 0 for none
	patterns [][]int
}

func prefixTable() *prefixIndex {
	x := &prefixIndex{patterns: make([][]int, 1)}
	for k := range patterns {
		slot := &x.slots[prefixSlot([]byte(patterns[k].prefix+"\x00"))]
		if *slot == 0 {
			*slot = uint8(len(x.patterns))
			x.patterns = append(x.patterns, nil)
		}
		x.patterns[*slot] = append(x.patterns[*slot], k)
	}
	return x
}

// prefixSlot hashes the first three of at least four bytes. The masks turn
// letters into lower case, and leave the fourth byte out.
func prefixSlot(b []byte) uint32 {
	return (binary.LittleEndian.Uint32(b) | 0x202020) & 0xFFFFFF * 0x9E3779B1 >> 20
}

// nextPrefix is the first index from i on where a pattern may begin, or -1. No
// pattern fits into the last three bytes.
func nextPrefix(text []byte, i int) int {
	slots := &prefixes.slots
	inWord := i > 0 && isIn(text[i-1], alnum)
	for ; i+4 <= len(text); i += 8 {
		var starts uint64
		starts, inWord = wordStarts(eight(text[i:]), inWord)
		for ; starts != 0; starts &= starts - 1 {
			at := i + bits.TrailingZeros64(starts)/8
			if at+4 <= len(text) && slots[prefixSlot(text[at:])] != 0 {
				return at
			}
		}
	}
	return -1
}

// eight are the first eight bytes of b, or fewer and zeros.
func eight(b []byte) uint64 {
	if len(b) < 8 {
		var end [8]byte
		copy(end[:], b)
		return binary.LittleEndian.Uint64(end[:])
	}
	return binary.LittleEndian.Uint64(b)
}

// wordStarts has the highest bit set of each of x's bytes that is a colon, or a
// letter or digit after a byte that is none; inWord says whether the byte before
// x is one, or the last of x.
//
// It looks at eight bytes at once: adding 0x80-n to a byte below 0x80 sets its
// highest bit where the byte is n or more.
func wordStarts(x uint64, inWord bool) (starts uint64, wordGoesOn bool) {
	const each, high = 0x0101010101010101, 0x8080808080808080
	y := x &^ high
	lower := y | each*0x20
	digits := (y + each*(0x80-'0')) &^ (y + each*(0x80-'9'-1))
	letters := (lower + each*(0x80-'a')) &^ (lower + each*(0x80-'z'-1))
	colons := (y + each*(0x80-':')) &^ (y + each*(0x80-':'-1))
	word := (digits | letters) &^ x & high
	before := word << 8
	if inWord {
		before |= 0x80
	}
	return word&^before | colons&^x&high, word>>63 != 0
}

// patternMark reports whether mark is that of a pattern.
func patternMark(mark string) bool {
	for i := range patterns {
		if patterns[i].mark == mark {
			return true
		}
	}
	return false
}

// longestPatternMark is the length of the longest of the patterns' marks, in
// bytes, and of those that stand for no pattern.
var longestPatternMark = func() int {
	n := max(len(hidden), len(withheld))
	for i := range patterns {
		n = max(n, len(patterns[i].mark))
	}
	return n
}()

// class is a set of kinds of ASCII characters.
type class uint16

const (
	upper class = 1 << iota
	lower
	digit
	dash
	underscore
	dot
	base64Sign // + and /
	tokenSign  // ~ and =
	atSign     // @
	separator  // between a name and its value, as programs print them
	list       // between the items of a printed list
	value      // of an unquoted value
	userinfo   // of a URL's userinfo, as people write it

	alnum       = upper | lower | digit
	wordChars   = alnum | underscore
	base64Chars = wordChars | dash | base64Sign // of both alphabets
	tokenChars  = base64Chars | dot | tokenSign // RFC 9110's token68
)

var classes = classTable()

func classTable() (t [256]class) {
	for c := range t {
		if c > ' ' && c < 0x7F && !strings.ContainsRune("\"'`,;<>(){}[]", rune(c)) {
			t[c] |= value
		}
		if c > ' ' && !strings.ContainsRune("/?#\"'`<>\\", rune(c)) {
			t[c] |= userinfo
		}
		switch {
		case 'A' <= c && c <= 'Z':
			t[c] |= upper
		case 'a' <= c && c <= 'z':
			t[c] |= lower
		case '0' <= c && c <= '9':
			t[c] |= digit
		}
	}
	for set, chars := range map[class]string{dash: "-", underscore: "_", dot: ".", base64Sign: "+/", tokenSign: "~=",
		atSign: "@", separator: ` "':=`, list: ",["} {
		for _, c := range chars {
			t[c] |= set
		}
	}
	return t
}

func isIn(c byte, set class) bool { return classes[c]&set != 0 }

// run is the index after the characters of set at text[i:].
func run(text []byte, i int, set class) int {
	for i < len(text) && isIn(text[i], set) {
		i++
	}
	return i
}
