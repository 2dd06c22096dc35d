package cli

import (
	"strings"

	"rollcall/model"
)

// byReason lists names, those of one reason together: A, B (a value of env); …
func byReason(list []model.Judged) string {
	var reasons []string
	names := map[string][]string{}
	for _, j := range list {
		why := j.Why.String()
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], j.Name.String())
	}
	for i, why := range reasons {
		reasons[i] = strings.Join(names[why], ", ") + " (" + why + ")"
	}
	return strings.Join(reasons, "; ")
}
