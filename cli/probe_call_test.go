package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rollcall/supervise"
)

// probed runs rollcall probe, and returns its exit code and what it says on
// stdout and stderr.
func probed(args ...string) (code int, out, errs string) {
	var o, e shared
	code = (&app{in: strings.NewReader(""), out: &o, err: &e}).run(append([]string{"probe"}, args...))
	return code, o.String(), e.String()
}

// listening starts a demo server that listens, and returns its url.
func listening(t *testing.T, args ...string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, append([]string{"demo"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(stderr)
	defer func() {
		go func() {
			_, _ = io.Copy(io.Discard, lines)
			close(drained)
		}()
	}()
	for {
		line, err := lines.ReadString('\n')
		if _, url, ok := strings.Cut(strings.TrimSpace(line), "listening on "); ok {
			return url
		}
		if err != nil {
			t.Fatal("the demo server does not listen")
		}
	}
}

// TestX1_ProbeCallsTheToolThatItIsToldTo plays each outcome on each transport.
func TestX1_ProbeCallsTheToolThatItIsToldTo(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mcpl := []string{"--mcpl", "--strict", "--revision", "2024-11-05"}
	targets := map[string]func(t *testing.T) []string{
		"stdio":        func(*testing.T) []string { return []string{"--", exe, "demo", "tools"} },
		"newest stdio": func(*testing.T) []string { return []string{"--", exe, "demo", "tools", "--newest"} },
		"http":         func(t *testing.T) []string { return []string{listening(t, "tools", "--via", "http")} },
		"http streams": func(t *testing.T) []string {
			return []string{listening(t, "tools", "--via", "http", "--stream", "answer")}
		},
		"newest http": func(t *testing.T) []string { return []string{listening(t, "tools", "--via", "http", "--newest")} },
		"mcpl websocket": func(t *testing.T) []string {
			return []string{listening(t, append([]string{"tools", "--via", "ws"}, mcpl...)...)}
		},
		"websocket": func(t *testing.T) []string { return []string{listening(t, "tools", "--via", "ws")} },
	}
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where := target(t)
			for _, c := range []struct {
				tool, with string
				code       int
				out, errs  string // patterns
			}{
				{"echo", `{"q": "x"}`, 0, `(?s)handshake .*tools +11\nprobe +alive after .*\ncall +echo answered after [\d.]+ ms\n  \{"q":"x"\}\n$`, ""},
				{"echo", "", 0, `\n  \{\}\n$`, ""},
				{"mixed", "", 0, `\n  see below\n  image, 6 bytes, image/png\n  link to`, ""},
				{"structured", "", 0, `\n  \{\n    "html": "<b>",\n`, ""},
				{"fails", `{"password": "hunter2hunter2"}`, 1, `\ncall +fails failed after .*\n  it cannot be done\n  with .*‹argument›.*\n$`, "rollcall: probe: the tool fails says that it failed\n"},
				{"refuses", `{"password": "hunter2hunter2"}`, 1, `alive after .*\n$`, `rollcall: probe: the call of refuses failed after .*: error -32602: Invalid arguments: .*‹argument›`},
				{"nobody", "", 1, "", `error -32602: Unknown tool: nobody\n`},
				{"strange", "", 1, "", `the answer to tools/call is not as MCP has it: content is no list\n`},
			} {
				args := []string{"--call", c.tool}
				if c.with != "" {
					args = append(args, "--with", c.with)
				}
				code, out, errs := probed(append(args, where...)...)
				if code != c.code || !regexp.MustCompile(c.out).MatchString(out) || !regexp.MustCompile(c.errs).MatchString(errs) {
					t.Errorf("%s: exit %d\n%s%s", c.tool, code, out, errs)
				}
				if strings.Contains(out+errs, "hunter2") {
					t.Errorf("%s repeats its arguments:\n%s%s", c.tool, out, errs)
				}
			}
		})
	}
}

func TestX1_AServerThatDiesOfACallIsSaidToHave(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Which of both is told is a matter of 250 ms, in which the run's end is told first.
	const first = `rollcall: probe: (during the call of dies: connected, then closed after \d+ s `
	const later = `|the call of dies failed after [\d.]+ ms: .+)`
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"stdio":     {[]string{"--", exe, "demo", "tools", "--exit", "3"}, first + `\(exit code 3\)` + later},
		"websocket": {[]string{listening(t, "tools", "--via", "ws")}, first + `\(close code 1011\)` + later},
		"http":      {[]string{listening(t, "tools", "--via", "http")}, first + later},
	} {
		code, out, errs := probed(append([]string{"--call", "dies"}, c.args...)...)
		if code != 1 || !regexp.MustCompile(c.says).MatchString(errs) {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
		}
	}
}

func TestX1_AnAnswerThatDoesNotComeNamesItsWindow(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"stdio": {"tools"}, "newest": {"tools", "--newest"}} {
		args = append([]string{"--call", "silent", "--timeout", "70ms", "--", exe, "demo"}, args...) // it is never answered
		code, out, errs := probed(args...)
		if code != exitFailure || !strings.Contains(errs, "rollcall: probe: the call of silent: no answer within 70 ms (--timeout)\n") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
		}
	}
	var out shared
	flag := newRoot(&app{out: &out, err: &out}).Commands()
	for _, c := range flag {
		if c.Name() == "probe" && c.Flags().Lookup("timeout").DefValue != "30s" {
			t.Errorf("by default a call may take %s", c.Flags().Lookup("timeout").DefValue)
		}
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestX4_AnAnswerThatCannotBePrintedIsNoSuccess(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errs shared
	code := (&app{in: strings.NewReader(""), out: fullDisk{}, err: &errs}).run([]string{"probe", "--call", "echo", "--", exe, "demo", "tools"})
	if code != exitFailure || !strings.Contains(errs.String(), "rollcall: probe: print what was seen: no space left on device") {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// TestX1_CtrlCEndsACall sends the signal once the server has the call.
func TestX1_CtrlCEndsACall(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := rollcallCommand(t, "probe", "--call", "silent", "--", exe, "demo", "tools")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	var once sync.Once
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		fmt.Fprintln(&all, lines.Text())
		if strings.Contains(lines.Text(), "silent is called") {
			once.Do(func() { _ = cmd.Process.Signal(syscall.SIGINT) })
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(all.String(), "rollcall: probe: interrupted\n") {
		t.Errorf("%v\n%s", err, all.String())
	}
}

func TestX4_WrongUsageOfACallRepeatsNoArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--with", `{"q":"hunter2"}`, "http://127.0.0.1:1/mcp"}, "--with needs --call TOOL"},
		{[]string{"--call", "echo", "--with", "{\"q\":\"\xff\xfe\"}", "http://127.0.0.1:1/mcp"}, "take UTF-8"},
		{[]string{"--call", "echo", "--with", `{"q":"hunter2"`, "http://127.0.0.1:1/mcp"}, "--with is no JSON object"},
		{[]string{"--call", "echo", "--with", `["hunter2"]`, "http://127.0.0.1:1/mcp"}, "--with is no JSON object"},
		{[]string{"--call", "echo", "--with", "null", "http://127.0.0.1:1/mcp"}, "--with is no JSON object"},
		{[]string{"--call", "echo", "--with", "", "http://127.0.0.1:1/mcp"}, "--with is no JSON object"},
		{[]string{"--call", "echo", "--with", `{} {"q":"hunter2"}`, "http://127.0.0.1:1/mcp"}, "--with is no JSON object"},
		{[]string{"--call", "", "http://127.0.0.1:1/mcp"}, "--call names no tool"},
		{[]string{"--call", "echo", "http://127.0.0.1:1/mcp", `{"q":"hunter2"}`}, "come after --with"},
	} {
		code, out, errs := probed(c.args...)
		if code != exitUsage || !strings.Contains(errs, c.says) || strings.Contains(out+errs, "hunter2") {
			t.Errorf("%v: exit %d\n%s%s", c.args, code, out, errs)
		}
	}
}

// TestP1_TheEngineCannotCallATool: what supervise sees of a run has no such
// method, and what a call returns is of a package that it may not import.
func TestP1_TheEngineCannotCallATool(t *testing.T) {
	run := reflect.TypeFor[supervise.Run]()
	for i := range run.NumMethod() {
		switch name := run.Method(i).Name; name {
		case "Probe", "Usage", "Stop", "Kill":
		default:
			t.Errorf("the engine can %s", name)
		}
	}
}
