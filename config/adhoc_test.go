package config

import (
	"testing"

	"rollcall/model"
)

func TestX1_WhatStandsOnTheCommandLineIsTakenAsItIs(t *testing.T) {
	env := Env{Vars: map[string]string{"PATH": "/bin", "SECRET_THING": "x"}}
	args := []string{"sh", "-c", "echo $HOME ${UNSET} $(id) \"q\" \\ \x7f \t é", "--token", "hunter2hunter2"}
	spec, problems := AdHoc("probe", args, "", env)
	if spec == nil {
		t.Fatalf("refused: %+v", problems)
	}
	if len(problems) != 0 {
		t.Errorf("problems %+v", problems)
	}
	for i, want := range args[1:] {
		if got := spec.Launch.Args[i].Reveal(); got != want {
			t.Errorf("argument %d is %q, want %q", i, got, want)
		}
	}
	inherited := false
	for _, v := range spec.Launch.Env {
		inherited = inherited || v.Name == "SECRET_THING"
	}
	if !inherited {
		t.Error("the environment is not passed on")
	}
	if got := spec.Redactor.Text("the token hunter2hunter2").String(); got == "the token hunter2hunter2" {
		t.Error("what follows --token is not redacted")
	}

	spec, problems = AdHoc("probe", nil, "wss://mcp.example.com/x?token=hunter2hunter2", env)
	if spec == nil || len(problems) != 0 || spec.Transport != model.WebSocket {
		t.Fatalf("a url: %+v, %+v", spec, problems)
	}
	if _, problems = AdHoc("probe", nil, "gopher://x", env); len(problems) == 0 {
		t.Error("gopher is no transport")
	}
}
