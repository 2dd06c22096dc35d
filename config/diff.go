package config

import (
	"slices"

	"rollcall/model"
	"rollcall/redact"
)

// Diff is what putting now in force would do to what is in force (C8). It names
// servers and fields, and holds no value of any.
func Diff(inForce, now []model.Entry) model.Reload {
	old := make(map[string]*model.Spec, len(inForce))
	for _, e := range inForce {
		old[e.Name] = e.Spec
	}
	d := model.Reload{Before: len(inForce)}
	there := make(map[string]bool, len(now))
	for _, e := range now {
		there[e.Name] = true
		was, known := old[e.Name]
		switch {
		case !known:
			d.Added = append(d.Added, e.Name)
			if e.Spec == nil {
				d.Refused = append(d.Refused, e.Name)
			}
		case e.Spec == nil && was != nil:
			d.Refused = append(d.Refused, e.Name)
		case e.Spec == nil: // refused as before
		case was == nil:
			d.Changed = append(d.Changed, model.Change{Server: e.Name, Stops: !e.Spec.Enabled})
		default:
			if fields := changedFields(was, e.Spec); len(fields) > 0 {
				d.Changed = append(d.Changed, model.Change{Server: e.Name, Fields: fields, Stops: !e.Spec.Enabled})
			}
		}
	}
	for _, e := range inForce {
		if !there[e.Name] {
			d.Removed = append(d.Removed, e.Name)
		}
	}
	return d
}

// changedFields are the fields in which two specs differ as far as it matters
// for running them, or for whether they run: tags do not.
func changedFields(a, b *model.Spec) []redact.Safe {
	var fields []redact.Safe
	differ := func(differs bool, name redact.Safe) {
		if differs {
			fields = append(fields, name)
		}
	}
	differ(a.Enabled != b.Enabled, redact.Word("enabled"))
	if a.Fingerprint == b.Fingerprint {
		return fields
	}
	la, lb := launchOf(a), launchOf(b)
	differ(la.Path != lb.Path || (a.Launch == nil) != (b.Launch == nil), redact.Word("command"))
	differ(!slices.EqualFunc(la.Args, lb.Args, sameSecret), redact.Word("args"))
	fields = append(fields, changedPairs("env.", la.Env, lb.Env)...)
	differ(la.Dir != lb.Dir, redact.Word("cwd"))
	differ(!sameSecret(a.URL, b.URL), redact.Word("url"))
	fields = append(fields, changedPairs("headers.", a.Headers, b.Headers)...)
	differ(a.Protocol != b.Protocol, redact.Word("protocol"))
	differ(a.Revision != b.Revision, redact.Word("protocol_version"))
	differ(a.Reconnect != b.Reconnect, redact.Word("reconnect"))
	for _, f := range timingFields {
		_, unused := idle[f.name]
		differ(!unused && f.at(&a.Timings).D != f.at(&b.Timings).D, redact.Name(f.name))
	}
	if len(fields) == 0 { // what is taken out of its output is all that is left
		fields = append(fields, redact.Word("secrets"))
	}
	return fields
}

func launchOf(s *model.Spec) model.Launch {
	if s.Launch == nil {
		return model.Launch{}
	}
	return *s.Launch
}

func sameSecret(a, b redact.Secret) bool { return a.Reveal() == b.Reveal() }

// changedPairs are the names, behind a prefix and sorted, that only one of a and
// b has, or that have another value in each.
func changedPairs(prefix string, a, b []model.Pair) []redact.Safe {
	var names []string
	only := func(a, b []model.Pair) {
		for _, p := range a {
			if !slices.ContainsFunc(b, func(q model.Pair) bool { return p.Name == q.Name && sameSecret(p.Value, q.Value) }) {
				names = append(names, p.Name)
			}
		}
	}
	only(a, b)
	only(b, a)
	slices.Sort(names)
	var fields []redact.Safe
	for _, name := range slices.Compact(names) {
		fields = append(fields, fieldName(prefix+name))
	}
	return fields
}
