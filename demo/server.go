package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is one server: its behaviour, and its end.
type server struct {
	behaviour
	mu  sync.Mutex
	log io.Writer

	ended chan int // the exit code, once
	once  sync.Once
	alive sync.Once // begins its life at the first handshake
	hooks []func()  // called at its end: close codes
	owed  func()    // answers the first ping, where that is to come late
}

func newServer(b behaviour, log io.Writer) *server {
	return &server{behaviour: b, log: log, ended: make(chan int, 1)}
}

// prepare does what comes before it reads or listens.
func (s *server) prepare() error {
	if s.ignore {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	if s.children != "" {
		if err := s.startChild(); err != nil {
			return err
		}
	}
	time.Sleep(s.startup)
	s.say("%s server 1.0.0 starting (pid %d)", s.name, os.Getpid())
	s.spill()
	if s.hostile {
		s.attackAll()
	}
	s.chatter()
	return nil
}

// say prints one line on stderr.
func (s *server) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.log, format+"\n", args...)
}

// end ends the server, once.
func (s *server) end(code int) {
	s.once.Do(func() {
		s.mu.Lock()
		hooks := s.hooks
		s.mu.Unlock()
		for _, f := range hooks {
			f()
		}
		s.ended <- code
	})
}

// live begins its life: the handshake is complete.
func (s *server) live() {
	s.alive.Do(func() {
		if s.life > 0 {
			time.AfterFunc(s.life, s.die)
		}
	})
}

// die is the end of its life.
func (s *server) die() {
	if s.token {
		s.say("Error: Bad credentials: token %s was rejected (HTTP 403)", os.Getenv("TOKEN"))
		s.say("    at Client.request (client.js:112:19)")
	}
	if s.signal != 0 {
		_ = syscall.Kill(os.Getpid(), syscall.Signal(s.signal))
		return
	}
	s.end(s.exit)
}

// conn is one client: how to send to it, and what it may not be asked twice.
type conn struct {
	*server
	mu   sync.Mutex // held while sending
	send func([]byte)
	next int  // id of the next request of our own
	told bool // the client has told its policy; touched by handle only
}

// message is JSON-RPC as it comes.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Error  *rpcError       `json:"error"`
	Result json.RawMessage `json:"result"`
}

type rpcError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// handle does what one message asks for.
func (c *conn) handle(data []byte) {
	var m message
	if json.Unmarshal(data, &m) != nil {
		return
	}
	switch {
	case m.Method == "" && m.ID != nil:
		c.answered(m)
	case m.Method == "notifications/initialized":
		c.live()
		if c.asks && !c.strict {
			c.askAll()
		}
	case c.strict && !c.told && m.Method != "initialize" && m.Method != "featureSets/update":
		if m.ID != nil {
			c.say("%s came before the policy", m.Method)
		}
	case m.ID != nil:
		c.request(m)
	}
}

// request answers a request.
func (c *conn) request(m message) {
	switch m.Method {
	case "server/discover":
		c.discovered(m)
	case "initialize":
		c.initialize(m)
	case "ping":
		c.ping(m)
	case "tools/list":
		c.listTools(m)
	case "tools/call":
		c.callTool(m)
	case "featureSets/update":
		c.featureSets(m)
	default:
		c.refuse(m, -32601, "Method not found")
	}
}

// initialize shakes hands.
func (c *conn) initialize(m message) {
	switch c.initial {
	case "never":
		return
	case "error":
		c.refuse(m, -32603, "the database is locked")
		return
	case "exit":
		c.end(c.exit)
		return
	}
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(m.Params, &p)
	if c.oddly(m, p.ProtocolVersion) {
		return
	}
	agreed := c.revision
	if p.ProtocolVersion < agreed && agreed > "2024" {
		agreed = p.ProtocolVersion
	}
	if c.early {
		c.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/message", "params": map[string]any{"level": "info", "data": "hello"}})
		c.write(map[string]any{"jsonrpc": "2.0", "id": "nobody asked for this", "result": map[string]any{}})
		c.askAll()
	}
	capabilities := map[string]any{"tools": map[string]any{}}
	if c.mcpl {
		capabilities["experimental"] = map[string]any{"mcpl": map[string]any{"version": "0.5", "featureSets": true}}
	}
	c.answer(m, map[string]any{"protocolVersion": agreed, "capabilities": capabilities, "serverInfo": c.info()})
	c.say("client connected, protocol %s", agreed)
}

func (s *server) info() map[string]any {
	return map[string]any{"name": "demo-" + s.name + s.leaked(), "version": "1.0.0"}
}

// discovered answers the newest revision's discovery, its probe too.
func (c *conn) discovered(m message) {
	if c.newest {
		c.answer(m, map[string]any{"resultType": "complete", "supportedVersions": []string{"2026-07-28"},
			"capabilities": map[string]any{"tools": map[string]any{}},
			"_meta":        map[string]any{"io.modelcontextprotocol/serverInfo": c.info()}})
		c.live()
		return
	}
	switch c.discover {
	case "silent":
	case "exit":
		c.say("fatal: expected initialize, got server/discover")
		c.end(1)
	case "invalid":
		c.refuse(m, -32602, "Invalid request parameters")
	default:
		c.refuse(m, -32601, "Method not found")
	}
}

// ping answers, late or with an error if it is told to, or ends the server's life.
func (c *conn) ping(m message) {
	switch c.pings {
	case "exit":
		c.die()
		return
	case "late":
		if c.owes(func() { c.refuse(m, -32603, "too late") }) {
			return
		}
	}
	reply := func() { c.answer(m, map[string]any{}) }
	if c.pingError != 0 {
		reply = func() { c.refuse(m, c.pingError, "cannot say") }
	}
	if c.pingDelay > 0 {
		time.AfterFunc(c.pingDelay, reply)
		return
	}
	reply()
}

// owes keeps the answer to the first ping, and gives it when the next one comes.
func (c *conn) owes(answer func()) bool {
	c.server.mu.Lock()
	owed := c.owed
	c.owed = func() {} // of a third one nothing is kept
	if owed == nil {
		c.owed = answer
	}
	c.server.mu.Unlock()
	if owed != nil {
		owed()
	}
	return owed == nil
}

// listTools lists a page of tools.
func (c *conn) listTools(m message) {
	switch c.list {
	case "never":
		return
	case "exit":
		c.end(c.exit)
		return
	}
	var p struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &p)
	page := 0
	_, _ = fmt.Sscan(p.Cursor, &page)
	tools := []any{}
	for i := range c.tools {
		tools = append(tools, map[string]any{"name": fmt.Sprintf("tool-%d-%d", page, i), "inputSchema": map[string]any{"type": "object"}})
	}
	if page == 0 {
		tools = append(tools, c.callables()...)
	}
	result := map[string]any{"tools": tools}
	if c.newest {
		result["resultType"] = "complete"
	}
	if c.pages < 0 || page+1 < c.pages {
		result["nextCursor"] = fmt.Sprint(page + 1)
	}
	if c.big > 0 {
		c.sendData(padded(m, result, c.big))
		return
	}
	c.answer(m, result)
}

// padded is an answer of n bytes, made without a pass of encoding/json over
// all of them.
func padded(m message, result map[string]any, n int) []byte {
	const pad = "@"
	result["_meta"] = map[string]any{"pad": pad}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	if err != nil {
		return nil // made of strings and numbers only
	}
	before, after, _ := bytes.Cut(data, []byte(pad))
	long := make([]byte, 0, n+len(data)+1) // a line's end fits too
	long = append(long, before...)
	block := bytes.Repeat([]byte{'x'}, 64<<10)
	for left := n - len(before) - len(after); left > 0; left -= len(block) {
		long = append(long, block[:min(left, len(block))]...)
	}
	return append(long, after...)
}

// featureSets answers what an MCPL client grants.
func (c *conn) featureSets(m message) {
	c.told = true
	switch c.policy {
	case "silent":
	case "exit":
		c.end(c.exit)
	case "refuse":
		c.answer(m, map[string]any{"accepted": false, "fallback": "close"})
	case "stay":
		c.answer(m, map[string]any{"accepted": false, "fallback": "degrade"})
	default:
		c.say("policy: granted %s", m.Params)
		c.answer(m, map[string]any{"accepted": true})
		if c.asks && c.strict {
			c.askAll()
		}
	}
}

// asked are the requests that a server may send to its client.
var asked = []struct {
	method string
	params map[string]any
}{
	{"roots/list", map[string]any{}},
	{"sampling/createMessage", map[string]any{"maxTokens": 10, "messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "sum it up"}}}}},
	{"elicitation/create", map[string]any{"message": "your name?", "requestedSchema": map[string]any{"type": "object", "properties": map[string]any{}}}},
	{"push/event", map[string]any{"featureSet": "mail", "eventId": "e1", "origin": "inbox", "payload": map[string]any{"text": "you have mail"}}},
	{"channels/register", map[string]any{"channels": []any{map[string]any{"id": "c1", "type": "chat", "label": "general"}}}},
	{"channels/open", map[string]any{"type": "chat", "address": "general"}},
	{"channels/publish", map[string]any{"channelId": "c1", "content": []any{}}},
	{"inference/request", map[string]any{"featureSet": "mail", "messages": []any{map[string]any{"role": "user", "content": "sum it up"}}}},
	{"model/info", map[string]any{}},
	{"no/such", map[string]any{}},
	{"ping", map[string]any{}},
}

// askAll sends them all.
func (c *conn) askAll() {
	for _, a := range asked {
		c.mu.Lock()
		c.next++
		id := fmt.Sprintf("%s#%d", a.method, c.next)
		c.mu.Unlock()
		c.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": a.method, "params": a.params})
	}
}

// answered says how a request of our own was answered.
func (c *conn) answered(m message) {
	var id string
	_ = json.Unmarshal(m.ID, &id)
	method, _, _ := strings.Cut(id, "#")
	if m.Error != nil {
		c.say("answer to %s: error %d: %s %s", method, m.Error.Code, m.Error.Message, m.Error.Data)
		return
	}
	c.say("answer to %s: %s", method, m.Result)
}

func (c *conn) answer(m message, result any) {
	c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func (c *conn) refuse(m message, code int, text string) {
	c.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": rpcError{Code: code, Message: text + c.leaked()}})
}

func (c *conn) write(v any) {
	if c.batch {
		v = []any{v}
	}
	data, err := json.Marshal(v)
	if err != nil {
		return // made of strings and numbers only
	}
	c.sendData(data)
}

func (c *conn) sendData(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send(data)
}
