package redact

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

func TestR1_ASecretNeverPrintsItself(t *testing.T) {
	const value = "hunter22"
	type inner struct{ s Secret }
	type holder struct {
		Public  Secret
		private Secret
		Ptr     *Secret
		nested  inner
		list    []Secret
		byName  map[string]Secret
		any     any
	}
	s := NewSecret(value)
	h := holder{s, s, &s, inner{s}, []Secret{s}, map[string]Secret{"k": s}, s}
	subjects := map[string]any{"a secret": s, "a pointer": &s, "a struct": h, "a pointer to a struct": &h, "an inner": inner{s},
		"a slice": []Secret{s}, "a map": map[string]Secret{"k": s}, "a key": map[Secret]int{s: 1},
		"a field by reflection": reflect.ValueOf(h).Field(1), "a source": Source{"N", s}, "a redactor": New([]Source{{"N", s}}), "what holds a redactor": struct{ r *Redactor }{New([]Source{{"N", s}})}, "a redactor's copy": *New([]Source{{"N", s}})}
	check := func(t *testing.T, how, printed string) {
		t.Helper()
		for _, form := range forms(value, "") {
			if strings.Contains(strings.ToLower(printed), strings.ToLower(form.text)) {
				t.Fatalf("%s gives %.300s", how, printed)
			}
		}
	}
	for name, subject := range subjects {
		t.Run(name, func(t *testing.T) {
			for _, flags := range []string{"", "+", "#", " ", "-", "0", "+#", "10.3"} {
				for verb := 'A'; verb <= 'z'; verb++ {
					how := "%" + flags + string(verb)
					check(t, how, fmt.Sprintf(how, subject))
				}
			}
			check(t, "Print", fmt.Sprint(subject))
			if b, err := json.Marshal(subject); err == nil {
				check(t, "json", string(b))
			}
			if b, err := xml.Marshal(subject); err == nil {
				check(t, "xml", string(b))
			}
			var log strings.Builder
			slog.New(slog.NewTextHandler(&log, nil)).Info("m", "k", subject)
			slog.New(slog.NewJSONHandler(&log, nil)).Info("m", "k", subject)
			check(t, "slog", log.String())
		})
	}
	if s.Reveal() != value || s.IsZero() || !NewSecret("").IsZero() || (Secret{}).Reveal() != "" {
		t.Error("Reveal or IsZero is wrong")
	}
	if !reflect.DeepEqual(s, NewSecret(value)) || reflect.DeepEqual(s, NewSecret("other")) {
		t.Error("equal values are not deeply equal")
	}
}
