package bus

import "testing"

func TestTerminalsHaveNames(t *testing.T) {
	for want, dev := range map[string][2]uint32{"pts/3": {136, 3}, "pts/300": {137, 44}, "tty1": {4, 1}, "ttyS0": {4, 64}, "": {0, 0}} {
		if got := terminalName(dev[0], dev[1]); got != want {
			t.Errorf("%v: %q, want %q", dev, got, want)
		}
	}
}
