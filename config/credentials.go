package config

import (
	"slices"

	"rollcall/redact"
)

// maxCredentials bounds how many variables a report tells an operator to set.
const maxCredentials = 4

// sends notes variables that are sent to the server to say who asks.
func (s *secrets) sends(refs []ref) { s.sent = append(s.sent, refs...) }

// credentials are the names of the variables to set where the server wants other
// credentials (D7): those that speak of a secret; without such, all that are
// sent.
func (s *secrets) credentials() []redact.Safe {
	sent := slices.DeleteFunc(slices.Clone(s.sent), func(r ref) bool { return !speaks(r.name) })
	if len(sent) == 0 {
		sent = s.sent
	}
	var names []redact.Safe
	for _, r := range sent {
		name := redact.Name(r.name)
		if len(names) < maxCredentials && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
