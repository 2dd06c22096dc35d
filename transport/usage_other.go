//go:build !linux

package transport

import (
	"errors"
	"time"

	"rollcall/model"
)

func (*procTable) usage(*process, time.Time) (model.Usage, error) {
	return model.Usage{}, errors.New("what a launch uses can only be read on Linux")
}
