package supervise

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mutated are the files of the pure step and of what is shown of it, and the pure
// ones of alert, each with its room.
var mutated = []struct {
	room  string
	files []string
}{
	{"supervise", []string{"step.go", "end.go", "order.go", "entry.go", "probing.go", "episode.go", "backoff.go",
		"timeline.go", "follow.go", "feed.go"}},
	{"alert", []string{"desk.go", "notice.go"}},
}

// TestMutants changes one comparison, sign, constant or negation of these files
// at a time, in a copy, and wants the tests of the room to notice. It takes some
// seconds a mutant, so it runs only where it is asked for:
//
//	ROLLCALL_MUTATE=all go test ./supervise -run Mutants -timeout 0 -v
//
// or with a file's name, or the beginning of a mutant's. A survivor is a test
// that is missing, or a line that says nothing; those which change nothing that
// can be seen are listed in testdata/equivalent.txt, with why.
func TestMutants(t *testing.T) {
	only := os.Getenv("ROLLCALL_MUTATE")
	if only == "" {
		t.Skip("set ROLLCALL_MUTATE=all to run it")
	}
	dir := t.TempDir()
	for _, room := range []string{"alert", "model", "redact", "supervise"} {
		if err := os.CopyFS(filepath.Join(dir, room), os.DirFS(filepath.Join("..", room))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		if err := os.WriteFile(filepath.Join(dir, file), read(t, filepath.Join("..", file)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	equivalent := string(read(t, "testdata/equivalent.txt"))
	var tried, survived int
	for _, m := range mutated {
		if out, caught := caughtBy(t, dir, m.room); caught {
			t.Fatalf("the tests of %s fail without a mutant:\n%s", m.room, out)
		}
		for _, file := range m.files {
			n, alive := mutate(t, dir, m.room, file, only)
			tried += n
			for _, name := range alive {
				if !strings.Contains(equivalent, name+"\n") {
					survived++
					t.Errorf("survived: %s", name)
				}
			}
		}
	}
	t.Logf("%d mutants, %d survived", tried, survived)
}

// mutate tries each mutant of a file whose name begins so, or all, and returns
// how many, and the names of those that the tests of the room do not notice.
func mutate(t *testing.T, dir, room, file, only string) (tried int, alive []string) {
	source := read(t, filepath.Join("..", room, file))
	put := func(b []byte) {
		if err := os.WriteFile(filepath.Join(dir, room, file), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range mutants(t, file, source) {
		if only != "all" && !strings.HasPrefix(m.name, only) {
			continue
		}
		tried++
		put(m.source)
		if _, caught := caughtBy(t, dir, room); !caught {
			alive = append(alive, m.name)
		}
	}
	put(source)
	return tried, alive
}

func read(t *testing.T, path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// caughtBy reports whether the tests of a room fail in the copy; not to compile is
// to be caught.
func caughtBy(t *testing.T, dir, room string) (output []byte, caught bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // an endless loop is caught too
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "./"+room, "-count=1", "-short", "-failfast", "-vet=off", "-timeout=30s")
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ROLLCALL_") })
	output, err := cmd.CombinedOutput()
	return output, err != nil
}

// mutant is a file with one thing changed.
type mutant struct {
	name   string // file: line → what it became
	source []byte
}

var opposite = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO},
}

// mutants are all mutants of a file, in its order.
func mutants(t *testing.T, file string, source []byte) []mutant {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []mutant
	change := func(pos token.Pos, length int, to string) {
		p := fset.Position(pos)
		begin := bytes.LastIndexByte(source[:p.Offset], '\n') + 1
		end := p.Offset + bytes.IndexByte(source[p.Offset:], '\n')
		line := string(source[begin:p.Offset]) + "‹" + string(source[p.Offset:p.Offset+length]) + " → " + to + "›"
		if p.Offset+length < end {
			line += string(source[p.Offset+length : end])
		}
		changed := slices.Concat(source[:p.Offset], []byte(to), source[p.Offset+length:])
		out = append(out, mutant{fmt.Sprintf("%s: %s", file, strings.TrimSpace(line)), changed})
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BinaryExpr:
			for _, op := range opposite[n.Op] {
				change(n.OpPos, len(n.Op.String()), op.String())
			}
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				change(n.OpPos, 1, "")
			}
		case *ast.Ident:
			switch n.Name {
			case "true":
				change(n.Pos(), 4, "false")
			case "false":
				change(n.Pos(), 5, "true")
			}
		case *ast.BasicLit:
			if to := otherNumber(n); to != "" {
				change(n.Pos(), len(n.Value), to)
			}
		case *ast.CaseClause:
			for i := range n.List { // one of several values
				if i > 0 {
					begin := n.List[i-1].End()
					change(begin, int(n.List[i].End()-begin), "")
				}
			}
		}
		return true
	})
	return out
}

// otherNumber is another number than a literal's, or "". What a hash is made of
// (more than two digits, in hexadecimal) stays: another would be as good.
func otherNumber(n *ast.BasicLit) string {
	switch v, err := strconv.ParseUint(n.Value, 0, 64); {
	case n.Kind == token.FLOAT:
		return "(" + n.Value + "*1.5)"
	case n.Kind != token.INT || err != nil || v > 1<<20 || strings.HasPrefix(n.Value, "0x"):
		return ""
	default:
		return strconv.FormatUint(v+1, 10)
	}
}
