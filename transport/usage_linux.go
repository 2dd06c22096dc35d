package transport

import (
	"time"

	"rollcall/model"
	"rollcall/transport/guardian"
)

// usage adds up what the launch's processes use. One that ends meanwhile is left
// out.
func (t *procTable) usage(p *process, at time.Time) (model.Usage, error) {
	u := model.Usage{At: at}
	pids, _ := t.launched(p)
	for _, pid := range pids {
		if pid < 0 {
			return model.Usage{}, errUsageUnknown
		}
		resident, cpu, err := guardian.Use(pid)
		if err != nil {
			continue
		}
		u.Processes++
		u.Resident += resident
		u.CPU += cpu
	}
	if u.Processes == 0 {
		return model.Usage{}, errNoProcess
	}
	return u, nil
}
