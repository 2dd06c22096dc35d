package config

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"rollcall/model"
	"rollcall/redact"
)

// fingerprint is the same for two specs exactly where they run the same way:
// all but enabled, tags, where a timing came from, and what nothing acts on.
func fingerprint(s *model.Spec, sources []redact.Source) [32]byte {
	d := digest{sha256.New()}
	d.text(s.Name, s.Revision, s.URL.Reveal())
	d.number(int64(s.Transport), int64(s.Protocol), bit(s.Reconnect), bit(s.Launch != nil))
	if l := s.Launch; l != nil {
		d.text(l.Path, l.Dir)
		d.number(int64(len(l.Args)))
		for _, a := range l.Args {
			d.text(a.Reveal())
		}
		d.pairs(l.Env)
	}
	d.pairs(s.Headers)
	for _, f := range timingFields {
		if _, unused := idle[f.name]; !unused {
			d.number(int64(f.at(&s.Timings).D))
		}
	}
	d.number(int64(len(sources)))
	for _, x := range sources {
		d.text(x.Name, x.Value.Reveal())
	}
	return [32]byte(d.h.Sum(nil))
}

// digest hashes values so that no two sequences of them look alike: each text
// goes in behind its length.
type digest struct{ h hash.Hash }

func (d digest) number(numbers ...int64) {
	for _, n := range numbers {
		_, _ = d.h.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) // a hash never fails
	}
}

func (d digest) text(texts ...string) {
	for _, s := range texts {
		d.number(int64(len(s)))
		_, _ = d.h.Write([]byte(s))
	}
}

func (d digest) pairs(pairs []model.Pair) {
	d.number(int64(len(pairs)))
	for _, p := range pairs {
		d.text(p.Name, p.Value.Reveal())
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
