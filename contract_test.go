package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const contract = "docs/contract.md"

var (
	ruleDefined = regexp.MustCompile(`(?m)^- \*\*([A-Z][1-9][0-9]?)\*\* |^## ([A-Z])\. `)
	// A rule's name stands alone: no part of a word, a number or a path. S has a
	// table and no numbers, so that its citation is the letter in brackets.
	ruleCited  = regexp.MustCompile(`(?:^|[^\w/.%-])([BLHPAOCTMRDXNS][1-9][0-9]?)\b|[( ](S)\)`)
	ruleInName = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)([BLHPAOCTMRDXNS][1-9][0-9]?)(?:_|$)`)
	// scenarioName is the name of a file below a scenarios folder.
	scenarioName = regexp.MustCompile(`^([BLHPAOCTMRDXN][1-9][0-9]?|S)(?:-|$)`)
)

// TestTheContractHasTheRulesThatAreCited, and no others: whoever reads a rule's
// name in the code can look it up, and each rule is kept somewhere or pinned.
func TestTheContractHasTheRulesThatAreCited(t *testing.T) {
	text, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	defined := rulesIn(string(text))
	cited := citations(t)
	for rule, where := range cited.all {
		if !slices.Contains(defined, rule) {
			t.Errorf("%s cites %s, which %s does not have", where, rule, contract)
		}
	}
	for _, rule := range defined {
		if isSection := len(rule) == 1; !isSection && !cited.kept[rule] {
			t.Errorf("%s has %s, which neither code nor a test's or scenario's name cites", contract, rule)
		}
	}
}

// TestARulesNameIsToldFromOtherText: the pattern finds what is a citation, and
// no more.
func TestARulesNameIsToldFromOtherText(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"// H2's force", []string{"H2"}},
		{"// as it is (T6).", []string{"T6"}},
		{"// (B2, B3, B4)", []string{"B2", "B3", "B4"}},
		{"// T10: the child", []string{"T10"}},
		{"// orders (O, S)", []string{"S"}},
		{"// lasted (S)", []string{"S"}},
		{"/* L5\nL6 */", []string{"L5", "L6"}},
		{"// C0, T0, UTF8, 0xC2, U2028, B123, /services/T1/B1, v1.C2, %B2, as func(S2T)", nil},
	}
	for _, test := range tests {
		if got := rulesCited(test.text); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

// cited is where rules are cited.
type cited struct {
	all  map[string]string // by the rule: one of the places
	kept map[string]bool   // in code that is no test's, or in a test's or scenario's name
}

func (c *cited) add(where string, keeps bool, rules ...string) {
	for _, rule := range rules {
		c.all[rule] = where
		c.kept[rule] = c.kept[rule] || keeps
	}
}

// citations are those of all Go files, in comments and in tests' names, and those
// of the scenarios' names.
func citations(t *testing.T) cited {
	c := cited{map[string]string{}, map[string]bool{}}
	for _, dir := range packageDirs(t) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			c.addFile(t, path)
		}
		scenarios, _ := filepath.Glob(filepath.Join(dir, "testdata", "scenarios", "*"))
		for _, path := range scenarios {
			if m := scenarioName.FindStringSubmatch(filepath.Base(path)); m != nil {
				c.add(path, true, m[1])
			}
		}
	}
	return c
}

func (c *cited) addFile(t *testing.T, path string) {
	isTest := strings.HasSuffix(path, "_test.go")
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			c.add(set.Position(comment.Pos()).String(), !isTest, rulesCited(comment.Text)...)
		}
	}
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && isTest {
			if m := ruleInName.FindStringSubmatch(fn.Name.Name); m != nil {
				c.add(set.Position(fn.Pos()).String(), true, m[1])
			}
		}
	}
}

// rulesIn are the rules that a contract's text defines, and its sections.
func rulesIn(text string) []string { return found(ruleDefined, text) }

// rulesCited are the rules that a comment cites.
func rulesCited(comment string) []string { return found(ruleCited, comment) }

// found are the names that a pattern's first or second group finds.
func found(pattern *regexp.Regexp, text string) (names []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}
