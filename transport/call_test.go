package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
)

// call calls a tool within a window.
func call(w *watched, window time.Duration, tool, arguments string) Called {
	ctx, stop := context.WithTimeout(context.Background(), window)
	defer stop()
	return w.Call(ctx, tool, json.RawMessage(arguments))
}

// said are the lines of an answer.
func said(c Called) (lines []string) {
	for _, l := range c.Lines {
		lines = append(lines, l.String())
	}
	return lines
}

// calledWays are the ways to a server whose tools can be called, MCPL and the
// newest revision included.
func calledWays(t *testing.T, f func(t *testing.T, spec *model.Spec)) {
	t.Parallel()
	add := func(name string, spec func(t *testing.T) *model.Spec) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, spec(t))
		})
	}
	for _, way := range ways {
		add(way.name, func(t *testing.T) *model.Spec { return way.spec(t, "--calls", "--tools", "0") })
	}
	for _, way := range ways[:3] {
		add("newest "+way.name, func(t *testing.T) *model.Spec { return way.spec(t, "--calls", "--tools", "0", "--newest") })
	}
	add("http stream", func(t *testing.T) *model.Spec {
		return ways[2].spec(t, "--calls", "--tools", "0", "--stream", "answer")
	})
	for name, way := range mcplWays {
		add("mcpl "+name, func(t *testing.T) *model.Spec {
			spec := way(t, "--calls", "--tools", "0")
			spec.Protocol = model.MCPL
			return spec
		})
	}
}

func TestACallsOutcomeIsTheServersOnEveryWay(t *testing.T) {
	h := newHost(t)
	calledWays(t, func(t *testing.T, spec *model.Spec) {
		w := start(t, h, spec)
		if tools := await[model.Connected](w).Tools; tools != model.Some(11) {
			t.Errorf("tools: %+v", tools)
		}
		for _, c := range []struct {
			tool, arguments string
			outcome         CallOutcome
			lines           []string
			text            string
		}{
			{"echo", "{\"n\": 12345678901234567890,\n \"q\": \"x\"}", Answered, []string{`{"n":12345678901234567890,"q":"x"}`}, ""},
			{"mixed", "{}", Answered, []string{"see below", "image, 6 bytes, image/png", "link to a resource, file:///tmp/report", "resource, 12 bytes, text/plain"}, ""},
			{"structured", "{}", Answered, []string{"{", `  "html": "<b>",`, `  "rows": [`, "    1,", "    2", "  ]", "}"}, ""},
			{"fails", `{"why":"no reason"}`, ToolFailed, []string{"it cannot be done", `with {"why":"‹argument›"}`}, ""},
			{"refuses", `{"user":{"names":["somebody"]}}`, CallFailed, nil, `error -32602: Invalid arguments: {"user":{"names":["‹argument›"]}}`},
			{"nobody", "{}", CallFailed, nil, "error -32602: Unknown tool: nobody"},
			{"strange", "{}", CallFailed, nil, "the answer to tools/call is not as MCP has it: content is no list"},
		} {
			got := call(w, patience, c.tool, c.arguments)
			if got.Outcome != c.outcome || got.Text.String() != c.text || !slices.Equal(said(got), c.lines) || got.Elapsed <= 0 {
				t.Errorf("%s: %+v", c.tool, got)
			}
		}
		if p := probe(w, patience); p.Outcome != model.Alive {
			t.Errorf("the probe afterwards: %+v", p)
		}
		if got := call(w, 50*time.Millisecond, "silent", "{}"); got.Outcome != CallTimedOut {
			t.Errorf("silent: %+v", got)
		}
	})
}

// TestACallEndsWithTheRun: where a connection is held, its end is what is told,
// each time, and it was told before.
func TestACallEndsWithTheRun(t *testing.T) {
	h := newHost(t)
	calledWays(t, func(t *testing.T, spec *model.Spec) {
		if spec.Transport == model.HTTP && spec.Launch == nil {
			w := start(t, h, spec)
			await[model.Connected](w)
			if got := call(w, patience, "dies", "{}"); got.Outcome != RunEnded && (got.Outcome != CallFailed || got.Text.IsZero()) {
				t.Errorf("%+v", got)
			}
			return
		}
		rounds := 1
		if spec.Launch != nil {
			rounds = 6
		}
		for range rounds {
			w := start(t, h, spec)
			await[model.Connected](w)
			if got := call(w, patience, "dies", "{}"); got.Outcome != RunEnded || !told[model.Closed](w) {
				t.Errorf("%+v", got)
			}
			await[model.Reaped](w)
		}
	})
}

func TestStopEndsACall(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), demoSpec(t, "tools"))
	await[model.Connected](w)
	ended := make(chan Called)
	go func() { ended <- call(w, patience, "silent", "{}") }()
	w.line("silent is called")
	w.Stop()
	if got := <-ended; got.Outcome != RunEnded {
		t.Errorf("%+v", got)
	}
	if got := call(w, patience, "echo", "{}"); got.Outcome != CallFailed || got.Text.String() != "not connected" {
		t.Errorf("afterwards: %+v", got)
	}
}

// TestAToolIsCalledOnce: one that wants input, or is busy, is not called again.
func TestAToolIsCalledOnce(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), demoSpec(t, "tools", "--newest"))
	await[model.Connected](w)
	if got := call(w, patience, "asks", "{}"); got.Outcome != CallFailed || !strings.Contains(got.Text.String(), "wants input") {
		t.Errorf("%+v", got)
	}
	call(w, patience, "echo", "{}")
	w.line("echo is called")
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := 0
	for _, l := range w.lines {
		if strings.Contains(l, "asks is called") {
			calls++
		}
	}
	if calls != 1 {
		t.Errorf("called %d times:\n%s", calls, strings.Join(w.lines, "\n"))
	}
}

func TestR2_AToolsAnswerIsRedactedAndBounded(t *testing.T) {
	t.Parallel()
	spec := demoSpec(t, "tools", "--leak", "TOKEN")
	w := start(t, newHost(t), spec)
	await[model.Connected](w)
	if got := said(call(w, patience, "echo", `{"as":"ghp_0123456789abcdefghijkl"}`)); !slices.Equal(got, []string{`{"as":"‹TOKEN›"} ‹TOKEN›`}) {
		t.Errorf("echo: %q", got)
	}
	lines := said(call(w, patience, "lines", "{}"))
	all := strings.Join(lines, "\n")
	if len(lines) < 8 || lines[0] != "first" || !strings.Contains(lines[1], "second, indented") || strings.ContainsAny(all, "\x1b\a\r\u202e\u009b") {
		t.Errorf("lines: %q", lines)
	}
	lines = said(call(w, patience, "long", "{}"))
	last, size := lines[len(lines)-1], 0
	for _, l := range lines[:len(lines)-1] {
		if size += len(l) + 1; l != "a line of a long answer" {
			t.Errorf("long: %q", l)
		}
	}
	if last != "… cut after 64 KiB" || size > maxAnswer || size < maxAnswer-100 {
		t.Errorf("long: %d bytes, and %q", size, last)
	}
}

// TestTheNewestRevisionsHeadersComeFromTheToolsSchema: over HTTP a server may
// refuse a call that lacks them.
func TestTheNewestRevisionsHeadersComeFromTheToolsSchema(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "where", InputSchema: json.RawMessage(
		`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true})
	var region atomic.Value
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if v := req.Header.Get("Mcp-Param-Region"); v != "" {
			region.Store(v)
		}
		inner.ServeHTTP(w, req)
	}))
	t.Cleanup(web.Close)
	w := start(t, newHost(t), urlSpec(model.HTTP, web.URL))
	await[model.Connected](w)
	if got := call(w, patience, "where", `{"region":"north"}`); got.Outcome != Answered || region.Load() != "north" {
		t.Errorf("%+v; header %v", got, region.Load())
	}
}

// TestACutStreamIsTakenUpForACall: the answer comes on another stream.
func TestACutStreamIsTakenUpForACall(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), urlSpec(model.HTTP, listen(t, "tools", "--via", "http", "--stream", "resume").url))
	await[model.Connected](w)
	if got := call(w, patience, "echo", `{"q":"x"}`); !slices.Equal(said(got), []string{`{"q":"x"}`}) {
		t.Errorf("%+v", got)
	}
}

// TestArgumentsThatAreNoneAreNotRepeated: what was typed may be a secret.
func TestArgumentsThatAreNoneAreNotRepeated(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), demoSpec(t, "tools"))
	await[model.Connected](w)
	if got := call(w, patience, "echo", `{"password":"hunter2hunter2"`); got.Outcome != CallFailed || strings.Contains(got.Text.String(), "hunter2") {
		t.Errorf("%+v", got)
	}
	red := unrepeated(json.RawMessage(`{"a":["one-two-three",{"b":"four-five"}],"c":true}`))
	if got := red.Text("one-two-three four-five true").String(); got != "‹argument› ‹argument› true" {
		t.Error(got)
	}
}
