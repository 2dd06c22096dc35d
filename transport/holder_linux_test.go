package transport

import (
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rollcall/model"
	"rollcall/transport/guardian"
)

// TestC2_APortThatAnotherProcessHoldsIsSaid: the launch is slow to find out, and
// a healthy server that was there before answers in its place.
func TestC2_APortThatAnotherProcessHoldsIsSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for via, name := range map[model.Transport]string{model.WebSocket: "ws", model.HTTP: "http"} {
		for _, host := range []string{"127.0.0.1", "localhost"} {
			spec := launchedSpec(t, via, name, "--startup", "1h")
			_, addr, _ := strings.Cut(spec.URL.Reveal(), "://127.0.0.1")
			port := strings.TrimSuffix(strings.TrimPrefix(addr, ":"), "/mcp")
			spec.URL = urlSpec(via, strings.Replace(spec.URL.Reveal(), "127.0.0.1", host, 1)).URL
			rival := listen(t, name, "--listen", "127.0.0.1:"+port)
			untilOlder(t, rival.cmd.Process.Pid)
			w := start(t, h, spec)
			end := await[model.Closed](w).End
			want := fmt.Sprintf("port %s is held by another process (transport.test, pid %d): stop that, or give this server another port", port, rival.cmd.Process.Pid)
			if end.Cause != model.TransportBroken || end.Text.String() != want {
				t.Errorf("%s %s: %v: %s\nwant %s", name, host, end.Cause, end.Text, want)
			}
			if told[model.Handshaken](w) {
				t.Error("it was said to be connected")
			}
		}
	}
}

// untilOlder waits until what starts next is younger than a process by the
// kernel's clock, which ticks a hundred times a second.
func untilOlder(t *testing.T, pid int) {
	t.Helper()
	for late := time.Now().Add(patience); time.Now().Before(late); {
		text, err := os.ReadFile("/proc/uptime")
		if err != nil {
			t.Fatal(err)
		}
		uptime, err := strconv.ParseFloat(strings.Fields(string(text))[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		if uint64(uptime*100) > guardian.Started(pid) {
			return
		}
	}
	t.Fatal("time stands still")
}

// TestC2_AListenerThatMayBeTheLaunchsOwnIsLeftAlone: one that started later, as
// a container's proxy does, and one in a session of its own.
func TestC2_AListenerThatMayBeTheLaunchsOwnIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	late := launchedSpec(t, model.HTTP, "http", "--startup", "1h")
	_, addr, _ := strings.Cut(strings.TrimSuffix(late.URL.Reveal(), "/mcp"), "://")
	w := start(t, h, late)
	await[model.Launched](w)
	listen(t, "http", "--listen", addr)
	await[model.Connected](w)

	addr = freeAddress(t)
	apart := commandSpec("/bin/sh", "-c", "/usr/bin/env -i /usr/bin/setsid "+self(t)+" demo http --listen "+addr+" & wait")
	apart.Transport, apart.URL = model.HTTP, urlSpec(model.HTTP, "http://"+addr+"/").URL
	await[model.Connected](start(t, h, apart))
}

func TestListeningReadsTheTables(t *testing.T) {
	const rest = " 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 31337 1 0 100 0 0 10 0"
	for line, want := range map[string]string{
		"   0: 0100007F:1E79" + rest:                                         "127.0.0.1:7801",
		"   0: 00000000:1E79" + rest:                                         "0.0.0.0:7801",
		"   0: 00000000000000000000000001000000:0050" + rest:                 "[::1]:80",
		"   0: 0000000000000000FFFF00000100007F:0050" + rest:                 "127.0.0.1:80",
		"   0: 0100007F:1E79" + strings.Replace(rest, " 0A ", " 01 ", 1):     "",
		"   0: 0100007:1E79" + rest:                                          "",
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when": "",
	} {
		at, socket, ok := listening(line)
		if want == "" && ok || want != "" && (at != netip.MustParseAddrPort(want) || socket != "socket:[31337]") {
			t.Errorf("%q: %v, %s, %t", line, at, socket, ok)
		}
	}
}
