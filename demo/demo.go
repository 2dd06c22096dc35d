package demo

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// behaviour is all that a server does and does not. The zero value is a
// healthy one that says nothing on stderr.
type behaviour struct {
	name string
	via  string // stdio, ws, http

	listen   string
	startup  time.Duration // before it reads or listens
	revision string        // the newest that initialize agrees to
	newest   bool          // it speaks 2026-07-28
	discover string        // answer, refuse, invalid, silent, exit: to server/discover where it does not speak it
	initial  string        // answer, never, error, exit: to initialize

	life      time.Duration // from the handshake to its end; 0: for ever
	exit      int           // the exit code at the end of its life
	signal    int           // or the signal that it sends itself
	closeCode int           // the WebSocket's close code at the end of its life; 0: none, the connection is cut
	reason    string        // and its reason
	ignore    bool          // stdin's end and SIGTERM
	children  string        // what startChild starts

	late   time.Duration // before it answers initialize
	old    bool          // it takes the oldest revision alone, and says of others that the parameters are invalid
	strays bool          // it sends an error to nobody before it answers initialize

	pings     string // answer, exit, late: to ping; late: to the first one with the second, and with an error
	pingDelay time.Duration
	pingError int // a JSON-RPC error's code

	tools int
	pages int
	big   int    // bytes of the answer to tools/list
	batch bool   // it answers in batches of one
	list  string // answer, exit, never: to tools/list
	calls bool   // it has tools that can be called, too

	beat    time.Duration // how often it says that it is alive, on stderr
	rate    int           // lines a second on stderr
	noise   bool          // lines on stdout that are not JSON-RPC
	leak    string        // names of variables whose values it lets out wherever it can
	apiKey  string        // it lets this out too
	hostile bool          // it attacks the terminal of whoever reads its stderr
	token   bool          // it complains about $TOKEN at the end of its life
	asks    bool          // it sends requests of its own once initialized, and says on stderr how they were answered
	early   bool          // it sends them before it answers initialize too

	flood      int  // bytes on stderr before it reads anything
	stderrRate int  // bytes a second on stderr
	stdoutRate int  // bytes a second on stdout, in lines that are not JSON-RPC
	progress   bool // a progress bar on stderr, drawn with carriage returns
	binary     bool // bytes on stdout that are no text
	junk       int  // bytes of one line on stdout that is not JSON-RPC

	mcpl   bool
	policy string // accept, refuse, stay, silent, exit: to featureSets/update
	strict bool   // it answers nothing but initialize before featureSets/update came

	status     int // HTTP: the answer to every request
	retryAfter string
	forget     int    // HTTP: how many requests of a session it knows; 0: all
	unknown    int    // HTTP: the answer to a session that it does not know
	authorized string // HTTP and WebSocket: the Authorization header that it wants
	page       string // HTTP: login, redirect, endless: the answer to every request; stall, log: see pages.go
	stream     string // HTTP: answer, cut, resume: answers are event streams, and how they end
}

// preset is a named behaviour.
type preset struct {
	name, what string
	set        func(*behaviour)
}

// The servers by name. Flags can change each of them.
var presets = []preset{
	{"healthy", "answers, and has three tools", func(*behaviour) {}},
	{"ws", "a healthy server on a WebSocket", func(b *behaviour) { b.via = "ws" }},
	{"http", "a healthy server on Streamable HTTP", func(b *behaviour) { b.via = "http" }},
	{"forgetful", "forgets each HTTP session after ten requests, and answers 400 then", func(b *behaviour) { b.via, b.forget, b.unknown = "http", 10, 400 }},
	{"flap", "completes its handshake, prints its $TOKEN, exits 1 a second later", func(b *behaviour) { b.life, b.exit, b.token = time.Second, 1, true }},
	{"slow-probe", "answers ping after ten seconds", func(b *behaviour) { b.pingDelay = 10 * time.Second }},
	{"never", "never answers initialize", func(b *behaviour) { b.initial, b.discover = "never", "silent" }},
	{"error", "answers initialize with an error", func(b *behaviour) { b.initial = "error" }},
	{"stubborn", "ignores stdin's end and SIGTERM", func(b *behaviour) { b.ignore = true }},
	{"grandchild", "starts a child of its own, which ignores stdin's end", func(b *behaviour) { b.children = "group" }},
	{"runaway", "starts a child in a session of its own", func(b *behaviour) { b.children = "session" }},
	{"daemon", "starts a child that has left its group, its session and its parent", func(b *behaviour) { b.children = "daemon" }},
	{"zombie", "starts a child that exits, and never asks how", func(b *behaviour) { b.children = "zombie" }},
	{"noise", "prints a banner and log lines on stdout", func(b *behaviour) { b.noise = true }},
	{"chatty", "prints a hundred lines a second on stderr", func(b *behaviour) { b.rate = 100 }},
	{"flood", "prints 100 MB a second on stderr", func(b *behaviour) { b.stderrRate = 100_000_000 }},
	{"progress", "draws a progress bar on stderr that never ends its line", func(b *behaviour) { b.progress = true }},
	{"binary", "writes bytes on stdout that are no text", func(b *behaviour) { b.binary = true }},
	{"hostile", "attacks the terminal of whoever reads its stderr", func(b *behaviour) { b.hostile = true }},
	{"old", "speaks 2024-11-05 only", func(b *behaviour) { b.revision = "2024-11-05" }},
	{"newest", "speaks 2026-07-28", func(b *behaviour) { b.newest = true }},
	{"exit-on-discover", "exits on the newest revision's discovery", func(b *behaviour) { b.discover = "exit" }},
	{"silent-to-discover", "does not answer the newest revision's discovery", func(b *behaviour) { b.discover = "silent" }},
	{"future", "names a revision that nobody speaks", func(b *behaviour) { b.revision = "1999-01-01" }},
	{"late", "answers initialize after 65 s", func(b *behaviour) { b.late = 65 * time.Second }},
	{"oldest", "takes no revision but the oldest, and does not say so", func(b *behaviour) { b.old = true }},
	{"tools", "has tools that can be called, with an outcome each", func(b *behaviour) { b.tools, b.calls = 0, true }},
	{"big-line", "lists its tools in a line of 32 MiB", func(b *behaviour) { b.big = 32 << 20 }},
	{"asks", "asks the client for roots and more", func(b *behaviour) { b.asks = true }},
	{"mcpl", "an MCPL server that waits for its policy, pushes events, registers channels and asks for inference",
		func(b *behaviour) { b.mcpl, b.strict, b.asks, b.revision = true, true, true, "2024-11-05" }},
	{"mcpl-refuses", "an MCPL server that wants more than nothing", func(b *behaviour) { b.mcpl, b.revision, b.policy = true, "2024-11-05", "refuse" }},
}

// Main runs the server that args name until it ends, and returns the exit code.
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	if code, ok := child(args, errw); ok {
		return code
	}
	b, err := parse(args, errw)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(errw, "rollcall demo: %v\n", err)
		return 2
	}
	s := newServer(b, errw)
	if err := s.prepare(); err != nil {
		fmt.Fprintf(errw, "rollcall demo: %v\n", err)
		return 1
	}
	switch b.via {
	case "ws", "http":
		return s.serveListener()
	}
	return s.serveStdio(in, out)
}

// parse makes a behaviour of a name and flags.
func parse(args []string, errw io.Writer) (behaviour, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		usage(errw)
		if len(args) > 0 && slices.Contains([]string{"-h", "--help", "-help"}, args[0]) {
			return behaviour{}, flag.ErrHelp
		}
		return behaviour{}, errors.New("which server? name one of the above")
	}
	i := slices.IndexFunc(presets, func(p preset) bool { return p.name == args[0] })
	if i < 0 {
		usage(errw)
		return behaviour{}, fmt.Errorf("no server is named %q", args[0])
	}
	b := behaviour{name: args[0], via: "stdio", listen: "127.0.0.1:0", revision: "2025-11-25", discover: "refuse", initial: "answer",
		tools: 3, pages: 1, list: "answer", unknown: 404, beat: 20 * time.Second, closeCode: 1011, policy: "accept"}
	presets[i].set(&b)
	f := flags(&b, errw)
	if err := f.Parse(args[1:]); err != nil {
		return b, err
	}
	if f.NArg() > 0 {
		return b, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return b, nil
}

// flags binds a flag to each part of b.
func flags(b *behaviour, errw io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("rollcall demo "+b.name, flag.ContinueOnError)
	f.SetOutput(errw)
	f.StringVar(&b.via, "via", b.via, "stdio, ws or http")
	f.StringVar(&b.listen, "listen", b.listen, "address to listen on; the one in use is printed on stderr")
	f.DurationVar(&b.startup, "startup", b.startup, "wait so long before anything else")
	f.StringVar(&b.revision, "revision", b.revision, "the newest revision that initialize agrees to")
	f.BoolVar(&b.newest, "newest", b.newest, "speak 2026-07-28")
	f.StringVar(&b.discover, "discover", b.discover, "to server/discover: refuse, invalid, silent, exit")
	f.StringVar(&b.initial, "initialize", b.initial, "to initialize: answer, never, error, exit")
	f.DurationVar(&b.life, "life", b.life, "end so long after the handshake")
	f.IntVar(&b.exit, "exit", b.exit, "with this exit code")
	f.IntVar(&b.closeCode, "close-code", b.closeCode, "or with this close code; 0: cut the connection without one")
	f.StringVar(&b.reason, "reason", b.reason, "and this reason")
	f.BoolVar(&b.ignore, "ignore", b.ignore, "ignore stdin's end and SIGTERM")
	f.IntVar(&b.signal, "signal", b.signal, "or by this signal")
	f.StringVar(&b.children, "child", b.children, "start a child: group, session, daemon, orphan, zombie")
	f.StringVar(&b.pings, "ping", b.pings, "to ping: answer, exit; late: to the first one when the second comes, with an error")
	f.DurationVar(&b.pingDelay, "ping-delay", b.pingDelay, "answer ping so late")
	f.IntVar(&b.pingError, "ping-error", b.pingError, "answer ping with this error code")
	f.IntVar(&b.tools, "tools", b.tools, "tools on a page")
	f.IntVar(&b.pages, "pages", b.pages, "pages of tools; below 0: without end")
	f.IntVar(&b.big, "big", b.big, "bytes of the answer to tools/list")
	f.DurationVar(&b.late, "late", b.late, "how long it takes to answer initialize")
	f.BoolVar(&b.old, "old", b.old, "take the oldest revision alone, and call others invalid parameters")
	f.BoolVar(&b.strays, "strays", b.strays, "send an error with a null id before the answer to initialize")
	f.BoolVar(&b.batch, "batch", b.batch, "answer in batches")
	f.StringVar(&b.list, "list", b.list, "to tools/list: answer, exit, never")
	f.BoolVar(&b.calls, "calls", b.calls, "have tools that can be called")
	f.BoolVar(&b.mcpl, "mcpl", b.mcpl, "speak MCPL")
	f.StringVar(&b.policy, "policy", b.policy, "to featureSets/update: accept, refuse, stay, silent, exit")
	f.BoolVar(&b.strict, "strict", b.strict, "answer nothing else before it")
	outputFlags(f, b)
	webFlags(f, b)
	return f
}

// outputFlags are those for what a server says unasked.
func outputFlags(f *flag.FlagSet, b *behaviour) {
	f.DurationVar(&b.beat, "beat", b.beat, "say so often on stderr that all is well; 0: never")
	f.IntVar(&b.rate, "rate", b.rate, "lines a second on stderr; below 0: as fast as it goes")
	f.BoolVar(&b.noise, "noise", b.noise, "print a banner and log lines on stdout")
	f.StringVar(&b.leak, "leak", b.leak, "let out the values of these variables, separated by commas, wherever it can")
	f.StringVar(&b.apiKey, "api-key", b.apiKey, "and this")
	f.BoolVar(&b.hostile, "hostile", b.hostile, "attack the terminal of whoever reads its stderr")
	f.BoolVar(&b.token, "token", b.token, "complain about $TOKEN at the end")
	f.BoolVar(&b.asks, "asks", b.asks, "send requests, and print how they were answered")
	f.BoolVar(&b.early, "early", b.early, "send them before the handshake too")
	f.IntVar(&b.flood, "flood", b.flood, "bytes on stderr before anything else")
	f.IntVar(&b.stderrRate, "stderr-rate", b.stderrRate, "bytes a second on stderr")
	f.IntVar(&b.stdoutRate, "stdout-rate", b.stdoutRate, "bytes a second on stdout that are not JSON-RPC")
	f.BoolVar(&b.progress, "progress", b.progress, "draw a progress bar on stderr")
	f.BoolVar(&b.binary, "binary", b.binary, "write bytes on stdout that are no text")
	f.IntVar(&b.junk, "junk", b.junk, "bytes of one line on stdout that is not JSON-RPC")
}

// webFlags are those for what only HTTP and WebSocket have.
func webFlags(f *flag.FlagSet, b *behaviour) {
	f.IntVar(&b.status, "status", b.status, "answer each HTTP request with this status")
	f.StringVar(&b.retryAfter, "retry-after", b.retryAfter, "and this Retry-After")
	f.IntVar(&b.forget, "forget", b.forget, "forget an HTTP session after so many requests; 0: never")
	f.IntVar(&b.unknown, "unknown", b.unknown, "answer a session that it does not know with this status")
	f.StringVar(&b.authorized, "authorization", b.authorized, "answer 401 without this Authorization header")
	f.StringVar(&b.page, "page", b.page, "answer each HTTP request with a page: login, redirect, endless; or stall in each answer, or put a log line before it: stall, log")
	f.StringVar(&b.stream, "stream", b.stream, "answer with an event stream: answer, cut, resume")
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "rollcall demo NAME [flags]: small servers that behave and misbehave")
	for _, p := range presets {
		fmt.Fprintf(w, "  %-19s %s\n", p.name, p.what)
	}
	fmt.Fprintln(w, "rollcall demo NAME --help lists the flags")
}
