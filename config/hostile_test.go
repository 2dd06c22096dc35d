package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostile are shapes that are small to write and great to read; each is repeated
// up to a size.
var hostile = []struct{ name, file, before, repeated, after string }{
	{"one long string", "servers.toml", `[servers.a]` + "\ncommand = \"", "x", `"`},
	{"dollars", "servers.toml", `[servers.a]` + "\ncommand = \"", "$", `"`},
	{"references", "servers.toml", `[servers.a]` + "\ncommand = \"", "${A:-", `"`},
	{"entries", "servers.toml", "", "[servers.a#]\ncommand = \"x\"\nenv = { TOKEN = \"abcdefgh#\" }\n", ""},
	{"bad entries", "servers.toml", "", "[servers.a#]\ncomand = \"x\"\n", ""},
	{"unknown keys", "servers.toml", "[servers.a]\ncommand = \"x\"\n", "k# = 1\n", ""},
	{"arguments", "servers.toml", "[servers.a]\ncommand = \"x\"\nargs = [", `"--token","abcdefgh#",`, "]"},
	{"variables", "servers.toml", "[servers.a]\ncommand = \"x\"\n[servers.a.env]\n", "K#_TOKEN = \"abcdefgh#\"\n", ""},
	{"numbers", "servers.toml", "[servers.a]\ncommand = \"x\"\nargs = [", "9e999,", "]"},
	{"one line of faults", "servers.toml", "[servers.a]\ncommand = \"x\"\nargs = [", "1,", "]"},
	{"query", "servers.toml", "[servers.a]\nurl = \"https://h/?", "a#=abcdefgh#&", `"`},
	{"open brackets", "servers.toml", "a = ", "[", ""},
	{"open quotes", "servers.toml", "", `"`, ""},
	{"dotted key", "servers.toml", "a", ".a", " = 1"},
	{"headers of nothing", "servers.toml", "", "[a#]\n", ""},
	{"same header", "servers.toml", "", "[a]\n", ""},
	{"tables of arrays", "servers.toml", "", "[[servers.a]]\n", ""},
	{"NUL", "servers.toml", "", "\x00", ""},
	{"JSON entries", "mcp.json", `{"mcpServers":{`, `"a#":{"command":"x","args":["--token","abcdefgh#"],"env":{"TOKEN":"abcdefgh#"}},`, `}}`},
	{"JSON same name", "mcp.json", `{"mcpServers":{`, `"a":{"command":"x"},`, `}}`},
	{"JSON mended names", "mcp.json", `{"mcpServers":{`, `"?":{"command":"x"},"??":{"command":"x"},"a ?#":{"command":"x"},`, `}}`},
	{"JSON arguments", "mcp.json", `{"mcpServers":{"a":{"command":"x","args":[`, `"--token","abcdefgh#",`, `]}}}`},
	{"JSON references", "mcp.json", `{"mcpServers":{"a":{"command":"`, "${file:a}", `"}}}`},
	{"JSON open references", "mcp.json", `{"mcpServers":{"a":{"command":"`, "${", `"}}}`},
	{"JSON open brackets", "mcp.json", "", "[", ""},
	{"JSON open braces", "mcp.json", "", `{"a":`, ""},
	{"JSON comments", "mcp.json", "", "/**/", "{}"},
	{"JSON unknown keys", "mcp.json", `{"mcpServers":{"a":{"command":"x",`, `"k#":1,`, `}}}`},
	{"Codex names", "config.toml", "[mcp_servers.a]\ncommand = \"x\"\nenv_vars = [", `"A#",`, "]"},
	{"YAML entries", "config.yaml", "extensions:\n", "  a#:\n    cmd: x\n    type: stdio\n", ""},
	{"YAML brackets", "config.yaml", "a: ", "[", ""},
	{"YAML dashes", "config.yaml", "", "- ", ""},
	{"YAML aliases", "config.yaml", "a: &a [x]\nextensions:\n", "  b#: [*a, *a]\n", ""},
	{"YAML quotes", "config.yaml", "a: ", `"`, ""},
	{"YAML keys", "config.yaml", "", "? ", ""},
	{"YAML colons", "config.yaml", "", "a: ", ""},
	{"YAML indent", "config.yaml", "a:", "\n ", "b"},
}

// TestAHostileFileCostsLittle bounds the time and the memory of each shape: of
// 32 KiB, or of 10 MB with ROLLCALL_LONG=1.
func TestAHostileFileCostsLittle(t *testing.T) {
	size, limit := 1<<15, 5*time.Second
	if os.Getenv("ROLLCALL_LONG") != "" {
		size, limit = 10_000_000, time.Minute
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), h.file)
			if err := os.WriteFile(path, []byte(h.before+repeat(h.repeated, size)+h.after), 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			f, err := Load(path, testEnv())
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if took > limit {
				t.Errorf("it took %s", took)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > uint64(size)*1000+256<<20 {
				t.Errorf("it allocated %d MiB", allocated>>20)
			}
			if f == nil && err == nil || err != nil && len(err.Error()) > 4096 {
				t.Errorf("%.4096v", err)
			}
			if h.file != "servers.toml" {
				start := time.Now()
				_, _ = Import([]string{path}, testEnv()) // whatever comes of it, in time
				if took := time.Since(start); took > limit {
					t.Errorf("import took %s", took)
				}
			}
		})
	}
}

// repeat repeats a text up to a size; each # in it is the number of the repetition.
func repeat(s string, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(strings.ReplaceAll(s, "#", itoa(n)))
	}
	return b.String()
}
