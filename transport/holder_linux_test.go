package transport

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"rollcall/model"
)

// TestC2_APortThatAnotherProcessHoldsIsSaid: the launch is slow to find out, and
// a healthy server that was there before answers in its place.
func TestC2_APortThatAnotherProcessHoldsIsSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for via, name := range map[model.Transport]string{model.WebSocket: "ws", model.HTTP: "http"} {
		for _, host := range []string{"127.0.0.1", "localhost"} {
			rival := listen(t, name)
			_, port, _ := strings.Cut(rival.addr(), ":")
			spec := launchedSpec(t, via, name, "--startup", "1h")
			spec.URL = urlSpec(via, strings.Replace(rival.url, "127.0.0.1", host, 1)).URL
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

// TestC2_APortOfAnotherServersLaunchIsSaid, also where that came second.
func TestC2_APortOfAnotherServersLaunchIsSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	slow := launchedSpec(t, model.HTTP, "http", "--startup", "1h")
	w := start(t, h, slow)
	await[model.Launched](w)
	_, addr, _ := strings.Cut(strings.TrimSuffix(slow.URL.Reveal(), "/mcp"), "://")
	quick := demoSpec(t, "http", "--listen", addr)
	quick.Name, quick.Transport, quick.URL = "quick", slow.Transport, slow.URL
	rival := await[model.Launched](start(t, h, quick)).PID
	end := await[model.Closed](w).End
	_, port, _ := strings.Cut(addr, ":")
	want := fmt.Sprintf("port %s is held by the server quick (transport.test, pid %d): give one of the two another port", port, rival)
	if end.Cause != model.TransportBroken || end.Text.String() != want {
		t.Errorf("%v: %s\nwant %s", end.Cause, end.Text, want)
	}
}

// TestC2_APortThatADaemonOpensForTheLaunchIsLeftAlone: this process is the daemon,
// older than the launch. It opens the port once the launch is there, as ssh does
// for a second client, and passes on what comes to where the server is.
func TestC2_APortThatADaemonOpensForTheLaunchIsLeftAlone(t *testing.T) {
	t.Parallel()
	server, addr := listen(t, "http"), freeAddress(t)
	spec := commandSpec("/bin/sh", "-c", "echo open it >&2; while :; do /bin/sleep 1000; done")
	spec.Transport, spec.URL = model.HTTP, urlSpec(model.HTTP, strings.Replace(server.url, server.addr(), addr, 1)).URL
	h := newHost(t)
	w := start(t, h, spec)
	w.line("stderr: open it")
	door, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = door.Close() })
	go forward(door, server.addr())
	await[model.Connected](w)

	w.Kill()
	await[model.Reaped](w) // the daemon keeps it open, and the next launch finds it so
	await[model.Connected](start(t, h, spec))
	other := *spec
	other.Name = "other" // nothing was ever opened for this one
	if end := await[model.Closed](start(t, h, &other)).End; !strings.Contains(end.Text.String(), "is held by") {
		t.Errorf("%v: %s", end.Cause, end.Text)
	}
}

// addr is where it listens.
func (l *listener) addr() string {
	_, rest, _ := strings.Cut(l.url, "://")
	addr, _, _ := strings.Cut(rest, "/")
	return addr
}

// forward connects whoever comes through the door to addr, until it is closed.
func forward(door net.Listener, addr string) {
	for {
		in, err := door.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", addr)
		if err != nil {
			_ = in.Close()
			continue
		}
		pass := func(to, from net.Conn) {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}
		go pass(in, out)
		go pass(out, in)
	}
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
