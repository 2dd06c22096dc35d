package transport

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
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
	if got := call(w, patience, "echo", "{}"); got.Outcome != RunEnded || !got.Text.IsZero() || got.Elapsed != 0 {
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
	for _, arguments := range []string{`{"password":"hunter2hunter2"`, "", "null", `["hunter2hunter2"]`, `"hunter2hunter2"`, `{} {}`} {
		got := call(w, patience, "echo", arguments)
		if got.Outcome != CallFailed || got.Text.String() != "the arguments are no JSON object" || got.Elapsed != 0 {
			t.Errorf("%s: %+v", arguments, got)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.lines, func(l string) bool { return strings.Contains(l, "echo is called") }) {
		t.Error("the tool was called")
	}
}

// TestErrorsRepeatNoArgument: each value that may be a secret, of any depth and
// in the forms in which servers repeat it.
func TestErrorsRepeatNoArgument(t *testing.T) {
	const arguments = `{"a":["one-two-three",{"b":"four-five"}],"c":true,"card":4111111111111111,"port":54321,"ratio":12.345,"pin":-123456,
		"rate":0.1234567,"big":12345678901234567890,"exp":1.5e10,"of-a-key":null}`
	given, clean := unrepeated(json.RawMessage(arguments)), (*redact.Redactor)(nil)
	for said, want := range map[string]string{
		"one-two-three four-five true": "‹argument› ‹argument› true",
		`{"card":4111111111111111}`:    `{"card":‹argument›}`,
		"no card 4111111111111111":     "no card ‹argument›",
		"port 54321, ratio 12.345":     "port 54321, ratio 12.345",
		"pin -123456 or 123456":        "pin -‹argument› or ‹argument›",
		"rate 0.1234567":               "rate ‹argument›",
		"big 12345678901234567890":     "big ‹argument›",
		"exp 1.5e10 or 15000000000":    "exp ‹argument› or ‹argument›",
		"card 4.111111111111111e+15":   "card ‹argument›",
		"rounded 12345678901234567000": "rounded ‹argument›",
		"of-a-key null":                "of-a-key null",
	} {
		if got := given.line(clean.Text(given.text(said))).String(); got != want {
			t.Errorf("%s: %s", said, got)
		}
	}
}

// TestAnArgumentThatALineIsCutInIsNotRepeated, not in part either; nor one that
// the SDK repeats, which could not read the answer.
func TestAnArgumentThatALineIsCutInIsNotRepeated(t *testing.T) {
	t.Parallel()
	const arguments = `{"token":"hunter2hunter2hunter2xyz"}`
	w := start(t, newHost(t), demoSpec(t, "tools"))
	await[model.Connected](w)
	for before := 8<<10 - 30; before < 8<<10+2; before++ {
		text := strings.Repeat("x", before) + " hunter2hunter2hunter2xyz " + strings.Repeat("y", 100)
		got := w.toolAnswered(&mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, json.RawMessage(arguments))
		for _, l := range got.Lines {
			if strings.Contains(l.String(), "hunter2") {
				t.Fatalf("after %d bytes it is shown: …%s", before, l.String()[len(l.String())-60:])
			}
		}
	}
	err := errors.New(`unmarshaling result: unrecognized content type "{\"token\": \"hunter2hunter2hunter2xyz\"}"`)
	if got := w.callFailed(t.Context(), w.session, err, json.RawMessage(arguments)); got.Text.IsZero() || strings.Contains(got.Text.String(), "hunter2") {
		t.Errorf("it says %q", got.Text)
	}
}

// TestANumberThatIsNotExactIsSaidToBe: the SDK reads each as a float64.
func TestANumberThatIsNotExactIsSaidToBe(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), demoSpec(t, "tools"))
	await[model.Connected](w)
	for text, want := range map[string]bool{
		`{"n":12345678901234567890}`: true, `{"a":[1,{"b":9007199254740993}]}`: true, `{"n":1.5,"of":123456789012345}`: false, `[]`: false,
	} {
		var content any
		_ = json.Unmarshal([]byte(text), &content)
		got := w.toolAnswered(&mcp.CallToolResult{StructuredContent: content}, nil)
		if said := strings.Contains(got.Lines[len(got.Lines)-1].String(), "not exact"); said != want {
			t.Errorf("%s: said %t: %v", text, said, got.Lines)
		}
	}
}

// TestTheTextOfAFailedCallIsBounded: a server may refuse at any length.
func TestTheTextOfAFailedCallIsBounded(t *testing.T) {
	t.Parallel()
	w := start(t, newHost(t), demoSpec(t, "tools"))
	await[model.Connected](w)
	arguments, _ := json.Marshal(map[string]string{"q": "x", "text": strings.Repeat("ab c", 5000)})
	got := w.refusalText(&jsonrpc.Error{Code: -32602, Message: strings.Repeat("no é", 5000)}, arguments)
	if n := len(got.String()); n > maxRefusal || n < maxRefusal-8 || !strings.HasSuffix(got.String(), "…") || !strings.HasPrefix(got.String(), "error -32602: no é") {
		t.Errorf("%d bytes: %.40s", n, got)
	}
}
