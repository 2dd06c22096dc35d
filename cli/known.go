package cli

import (
	"maps"
	"slices"
	"sync"

	"rollcall/model"
)

// versions is how many ways of an entry are remembered: a launch lives on with
// the secrets of before, and a file that rotates them must not fill the memory.
const versions = 8

// known are the last ways that each entry was read, for the secrets in them. Its
// methods may be called from any goroutine.
type known struct {
	mu      sync.Mutex
	seen    map[string][]model.Entry
	refused map[string]model.Entry // as it was read last
}

func newKnown(entries []model.Entry) *known {
	k := &known{seen: map[string][]model.Entry{}, refused: map[string]model.Entry{}}
	k.remember(entries...)
	return k
}

// remember keeps what is secret in entries.
func (k *known) remember(entries ...model.Entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range entries {
		if e.Redactor != nil {
			k.refused[e.Name] = model.Entry{Redactor: e.Redactor}
		}
		ways := k.seen[e.Name]
		if e.Spec == nil || slices.ContainsFunc(ways, func(s model.Entry) bool { return s.Spec.Fingerprint == e.Spec.Fingerprint }) {
			continue
		}
		ways = append(ways, e)
		k.seen[e.Name] = ways[max(len(ways)-versions, 0):]
	}
}

// redact takes every secret that the configuration has or had out of a text
// that no transport has seen: a panic's, or what a program of [alerts] says.
func (k *known) redact(s string) string {
	k.mu.Lock()
	entries := slices.AppendSeq(slices.Concat(slices.Collect(maps.Values(k.seen))...), maps.Values(k.refused))
	k.mu.Unlock()
	return redactAll(entries, s)
}
