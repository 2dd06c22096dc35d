package config

import (
	"slices"

	"rollcall/model"
	"rollcall/redact"
)

// idle are the settings that are read and checked, and that nothing acts on in
// this version: what becomes of each.
var idle = map[string]redact.Safe{
	"request_timeout": redact.Word("rollcall sends no real requests, only probes, and those have probe_timeout"),
}

// idle warns of a setting that is given and not in force; not of a bad one, which
// was told already.
func (r *reader) idle(v value) {
	field := fieldName(v.field).String()
	if slices.ContainsFunc(r.problems, func(p model.Problem) bool { return !p.Warning && p.Field == field }) {
		return
	}
	r.warn(v.span(), v.field, fault{redact.Sprintf("read, but not in force in this version: %s", idle[v.at.name]),
		redact.Word("remove it, or leave it for a version that acts on it")})
}
