package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"rollcall/model"
)

// managerVars are what systemd tells this process alone. A server that had them
// could speak in rollcall's name (T10).
var managerVars = []string{"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"}

// loopEngine is what systemd is told of: what the engine's loop itself says.
type loopEngine interface {
	Next(ctx context.Context, seen uint64) (model.Fleet, error)
	Health(ctx context.Context) (model.Health, error)
}

// herald tells systemd how serve is doing (N6). It speaks when the engine's loop
// has answered; while that hangs it is silent, and the watchdog ends rollcall.
type herald struct {
	engine   loopEngine
	watchdog time.Duration // 0: nobody watches
	send     func(state string)
}

// newHerald makes the herald of this process; nil, which is silent, where no
// systemd listens.
func newHerald(e loopEngine) *herald {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return nil
	}
	every, _ := daemon.SdWatchdogEnabled(false) // what cannot be read is no watchdog
	return &herald{engine: e, watchdog: every, send: func(state string) {
		_, _ = daemon.SdNotify(false, state) // nobody is left to tell that it failed
	}}
}

// statusEvery is the least time between two STATUS lines.
const statusEvery = time.Second

// run tells until ctx ends: READY once the loop has answered, and so has queued
// the first attempts, then STATUS and the watchdog.
func (h *herald) run(ctx context.Context) {
	if h == nil {
		return
	}
	if _, err := h.engine.Health(ctx); err != nil {
		return // systemd gives up on it after TimeoutStartSec
	}
	h.send(daemon.SdNotifyReady)
	var parts sync.WaitGroup
	parts.Go(func() { h.status(ctx) })
	if h.watchdog > 0 {
		parts.Go(func() { h.feed(ctx) })
	}
	parts.Wait()
}

// stopping tells that rollcall stops.
func (h *herald) stopping() {
	if h != nil {
		h.send(daemon.SdNotifyStopping)
	}
}

// status tells the count of each phase when it changes, at most once a second.
func (h *herald) status(ctx context.Context) {
	told := ""
	for seen := uint64(0); ; {
		fleet, err := h.engine.Next(ctx, seen)
		if err != nil {
			return
		}
		seen = fleet.Seq
		text := census(fleet)
		if text == told {
			continue
		}
		h.send("STATUS=" + text)
		told = text
		if !pause(ctx, statusEvery) {
			return
		}
	}
}

// pause waits, and reports whether ctx is still going on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// feed feeds the watchdog at half of its time, if the loop answers within a
// quarter: a slow answer still comes before systemd gives up.
func (h *herald) feed(ctx context.Context) {
	ticks := time.NewTicker(h.watchdog / 2)
	defer ticks.Stop()
	for {
		asked, cancel := context.WithTimeout(ctx, h.watchdog/4)
		_, err := h.engine.Health(asked)
		cancel()
		if err == nil {
			h.send(daemon.SdNotifyWatchdog)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// reloadLimit is how long the loop may take to take up a configuration before
// systemd is told that the reload is over.
const reloadLimit = 10 * time.Second

// reload reloads, and tells systemd when it began and that it is over:
// Type=notify-reload waits for both.
func (h *herald) reload(reload func()) {
	if h == nil {
		reload()
		return
	}
	h.send(fmt.Sprintf("%s\nMONOTONIC_USEC=%d", daemon.SdNotifyReloading, monotonic().Microseconds()))
	defer h.send(daemon.SdNotifyReady)
	reload()
	ctx, cancel := context.WithTimeout(context.Background(), reloadLimit)
	defer cancel()
	_, _ = h.engine.Health(ctx) // what reload handed to the loop is in force now
}

// monotonic is the clock that systemd compares a reload's begin with.
func monotonic() time.Duration {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// censusOrder is the order of the phases in STATUS: what is well, what is being
// done, what is wrong, what is not wanted.
var censusOrder = [...]model.Phase{model.Up, model.Settling, model.Starting, model.Queued, model.Stopping,
	model.Waiting, model.Halted, model.Refused, model.Ended, model.Off}

// census is the fleet in a line: 38 up, 2 waiting, 1 halted.
func census(fleet model.Fleet) string {
	var count [model.Phases]int
	for _, row := range fleet.Rows {
		count[row.Phase]++
	}
	var parts []string
	for _, p := range censusOrder {
		if count[p] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[p], p))
		}
	}
	text := strings.Join(parts, ", ")
	if len(parts) == 0 {
		text = "no servers"
	}
	if fleet.Stopping {
		text = "stopping: " + text
	}
	return text
}
