package main

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rooms is the table of who may import whom; nil is nothing of ours.
var rooms = map[string][]string{
	"alert":              {"model", "redact"},
	"bench":              nil,
	".":                  {"cli", "transport/guardian"},
	"bus":                {"model", "redact"},
	"cli":                {"bus", "alert", "config", "demo", "front", "metrics", "model", "redact", "supervise", "transport", "ui"},
	"config":             {"model", "redact"},
	"demo":               nil,
	"front":              {"transport/guardian"},
	"metrics":            {"model", "redact"},
	"model":              {"redact"},
	"redact":             nil,
	"supervise":          {"model", "redact"},
	"transport":          {"model", "redact", "transport/guardian"},
	"transport/guardian": nil,
	"tty":                nil,
	"ui":                 {"model", "redact"},
}

// forTests is which rooms are of use to the tests of which others. No program
// holds them.
var forTests = map[string][]string{"tty": {"cli", "ui"}}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	for room, may := range rooms {
		p, err := build.ImportDir(room, 0)
		if err != nil {
			t.Errorf("%s: %v", room, err)
			continue
		}
		for _, path := range p.Imports {
			ours, ok := strings.CutPrefix(path, "rollcall/")
			if ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, and may not", room, path)
			}
		}
	}
}

func TestWhatIsForTestsIsInNoProgram(t *testing.T) {
	for room := range rooms {
		p, err := build.ImportDir(room, 0)
		if err != nil {
			t.Errorf("%s: %v", room, err)
			continue
		}
		for tool, may := range forTests {
			if slices.Contains(p.Imports, "rollcall/"+tool) {
				t.Errorf("%s imports %s in what is built, and not in its tests alone", room, tool)
			}
			if slices.Contains(slices.Concat(p.TestImports, p.XTestImports), "rollcall/"+tool) && !slices.Contains(may, room) {
				t.Errorf("the tests of %s import %s, and may not", room, tool)
			}
		}
	}
}

// TestEveryRoomIsInTheTable finds a package that the table does not know.
func TestEveryRoomIsInTheTable(t *testing.T) {
	for _, dir := range packageDirs(t) {
		if _, ok := rooms[dir]; !ok {
			t.Errorf("%s is no room of the table: say who may import it", dir)
		}
	}
}

// packageDirs are the folders below this one that hold Go files.
func packageDirs(t *testing.T) []string {
	var dirs []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".go") && !slices.Contains(dirs, filepath.Dir(path)):
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}
