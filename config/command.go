package config

import (
	"rollcall/model"
	"rollcall/redact"
)

// CheckCommand looks whether the cwd of one of the file's entries exists and its
// command is found and executable, as a launch would: it asks Env.Look. It
// returns nil where nothing is wrong, nothing is launched, or nobody looks; else
// an error with its place in the file. It looks at the disk as it is now. At
// start-up a missing command refuses no entry: it halts when it is started (H1).
func (f *File) CheckCommand(spec *model.Spec) *model.Problem {
	if spec == nil || spec.Launch == nil || f.look == nil {
		return nil
	}
	field, text, hint := f.look(spec)
	if field == "" {
		return nil
	}
	p := &model.Problem{Server: spec.Name, Field: field, Hint: hint,
		Text: redact.Sprintf("server %s: %s: %s", redact.Name(spec.Name), redact.Name(field), text)}
	at := f.places[spec.Name].command
	if field == "cwd" {
		at = f.places[spec.Name].cwd
	}
	f.doc.place(p, at, f.doc.masks)
	return p
}
