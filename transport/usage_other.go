//go:build !linux

package transport

import (
	"time"

	"rollcall/model"
)

func (*procTable) usage(*process, time.Time) (model.Usage, error) {
	return model.Usage{}, errNoUsage
}
