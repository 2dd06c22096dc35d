package bus

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// subjects are the names of one engine's messages (N4). All start with
//
//	rollcall.v1.HOST.NAME.
//
// NAME is the configuration's: a host may have several engines.
//
//	rows, beat            from the engine, to whoever subscribes
//	ask.VERB.WHO          a question; WHO is the connection that may ask there
//	order.VERB.WHO        what changes something; not for who may only read
type subjects struct{ prefix string }

// root is where the subjects of this protocol start.
const root = "rollcall.v1."

func subjectsOf(host, name string) subjects {
	return subjects{root + token(host) + "." + token(name) + "."}
}

func (s subjects) rows() string { return s.prefix + "rows" }
func (s subjects) beat() string { return s.prefix + "beat" }

func (s subjects) ask(verb, who string) string   { return s.prefix + "ask." + verb + "." + who }
func (s subjects) order(verb, who string) string { return s.prefix + "order." + verb + "." + who }

// verbAndWho takes a request's subject apart.
func (s subjects) verbAndWho(subject string) (verb, who string, ok bool) {
	rest, ok := strings.CutPrefix(subject, s.prefix)
	if !ok {
		return "", "", false
	}
	parts := strings.Split(rest, ".")
	if len(parts) != 3 {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// answerKind is the part of an inbox's subject that answers come on, before the
// id of the call.
const answerKind = "a."

// inboxOf is where the answers for a connection go; nobody else may listen.
func inboxOf(who string) string { return "_INBOX." + who + "." }

// token makes one token of a subject out of any text: letters, digits, - and _
// stay. Two texts that differ never have the same: where something was changed,
// a hash of the text follows.
func token(s string) string {
	t := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
	if t == s && s != "" {
		return t
	}
	sum := sha256.Sum256([]byte(s))
	return t + "-" + hex.EncodeToString(sum[:3])
}
