package cli

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollcall/metrics"
	"rollcall/model"
)

// scrape reads an engine's numbers until they hold all of the texts.
func scrape(t *testing.T, d *deck, counts *metrics.Counts, wants ...string) string {
	t.Helper()
	c := metrics.NewCollector(d.engine, counts, version())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go c.Follow(ctx)
	h := c.Handler()
	for {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		text := w.Body.String()
		missing := slices.DeleteFunc(slices.Clone(wants), func(want string) bool { return strings.Contains(text, want) })
		if len(missing) == 0 {
			return text
		}
		if ctx.Err() != nil {
			t.Fatalf("the metrics do not come to hold %q", missing)
		}
	}
}

// TestTheMetricsAreTheEnginesOwn compares them with what the engine's snapshot
// says of real servers.
func TestTheMetricsAreTheEnginesOwn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "servers.toml")
	write(t, path, "[servers.a]\ncommand = \"${ROLLCALL_EXE}\"\nargs = [\"demo\", \"healthy\"]\nprobe_interval = \"100ms\"\n"+
		"[servers.b]\ncommand = \"false\"\nreconnect_interval = \"1h\"\nreconnect_max_interval = \"1h\"\n")
	counts := metrics.NewCounts()
	d, err := (&app{config: path}).open(counts.Observe)
	if err != nil {
		t.Fatal(err)
	}
	d.start()
	defer func() {
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}()
	until(t, d, "a", func(r *model.Row) bool { return r.StderrLines > 0 && !r.Probe.IsZero() })
	until(t, d, "b", in(model.Waiting))
	text := scrape(t, d, counts,
		"rollcall_engine_up 1\n",
		`rollcall_server_phase{phase="settling",server="a"} 1`,
		`rollcall_server_phase{phase="waiting",server="b"} 1`,
		`rollcall_server_attempts_total{server="b"} 1`,
		`rollcall_server_attempt_failures_total{server="b"} 1`,
		`rollcall_server_starts_total{server="a"} 1`,
		`rollcall_server_probe_latency_seconds_count{server="a"} `)
	t.Run("promtool", func(t *testing.T) {
		cmd := exec.CommandContext(t.Context(), needs(t, "promtool", "--no-install-recommends prometheus"), "check", "metrics")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	until(t, d, "a", func(r *model.Row) bool { // once the snapshot is as new as the lines
		lines, bytes := 0, 0
		for _, l := range d.engine.Lines("a", 0, 1<<20) {
			if l.Kind == model.LineStderr {
				lines++
				bytes += len(l.Text.String())
			}
		}
		return r.StderrLines == uint64(lines) && r.StderrBytes == uint64(bytes)
	})
}

// TestX4_APortThatIsTakenLaunchesNothing: it is said, with what to do.
func TestX4_APortThatIsTakenLaunchesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := t.TempDir()
	path, mark := filepath.Join(dir, "servers.toml"), filepath.Join(dir, "launched")
	write(t, path, "[servers.a]\ncommand = \"touch\"\nargs = [\""+mark+"\"]\n")
	var out, errs shared
	code := (&app{out: &out, err: &errs}).run([]string{"serve", "-c", path, "--metrics", l.Addr().String()})
	if said := errs.String(); code != exitFailure || !strings.HasPrefix(said, "rollcall: serve the metrics: listen tcp "+l.Addr().String()) ||
		!strings.Contains(said, "--metrics") {
		t.Errorf("exit %d, %q", code, said)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the server was launched")
	}
}

func TestMetricsAreForThisHostUnlessAsked(t *testing.T) {
	for address, want := range map[string]struct {
		host  string
		warns bool
	}{
		":0":          {"127.0.0.1", false},
		"127.0.0.1:0": {"127.0.0.1", false},
		"0.0.0.0:0":   {"", true},
	} {
		var errs shared
		n, err := (&app{err: &errs}).listenMetrics(address)
		if err != nil {
			t.Fatal(err)
		}
		defer n.listener.Close()
		host, _, err := net.SplitHostPort(n.listener.Addr().String())
		if err != nil || want.host != "" && host != want.host {
			t.Errorf("%s listens at %s, %v", address, host, err)
		}
		if warned := strings.Contains(errs.String(), "without a password"); warned != want.warns {
			t.Errorf("%s: said %q", address, errs.String())
		}
	}
	var errs shared
	if code := (&app{out: &errs, err: &errs}).run([]string{"serve", "--metrics", "9464"}); code != exitUsage {
		t.Errorf("no address: exit %d, %s", code, errs.String())
	}
}
