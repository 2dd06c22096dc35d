package transport

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"rollcall/redact"
)

// cannotStart says why the kernel would not run a file that is there and
// executable, and what to do about it (H1, D7).
func cannotStart(err error, path string, red *redact.Redactor) redact.Safe {
	name := red.Text(path)
	interpreter, named := interpreterOf(path)
	shown := red.Text(strings.TrimSuffix(interpreter, "\r"))
	switch {
	case errors.Is(err, syscall.ENOENT) && named:
		text := redact.Sprintf("%s names the interpreter %s, which is not found", name, shown)
		if strings.HasSuffix(interpreter, "\r") { // its lines end as on Windows
			return redact.Sprintf("%s: take the carriage returns out of the file, then c", text)
		}
		if how, ok := install[filepath.Base(interpreter)]; ok {
			return redact.Sprintf("%s: %s or mend its first line, then c", text, how)
		}
		return redact.Sprintf("%s: install that or mend its first line, then c", text)
	case errors.Is(err, syscall.ENOENT):
		return redact.Sprintf("%s is there, but not the loader that it was built for: get a build for this system, then c", name)
	case errors.Is(err, syscall.EACCES) && named:
		return redact.Sprintf("%s may not be run, or its interpreter %s may not: check their permissions, then c", name, shown)
	case errors.Is(err, syscall.EACCES):
		return redact.Sprintf("%s may not be run: check its permissions, and whether its file system is mounted noexec, then c", name)
	case errors.Is(err, syscall.ENOEXEC):
		return redact.Sprintf("%s is no program for this machine: if it is a script, name its interpreter in its first line (#!/bin/sh) or in command; else get a build for this machine; then c", name)
	}
	return redact.Sprintf("cannot start: %s", red.Error(err))
}

// maxFirstLine is how much of a script's first line the kernel reads, in bytes.
const maxFirstLine = 256

// interpreterOf is the program that a script's first line names.
func interpreterOf(path string) (interpreter string, named bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	head := make([]byte, maxFirstLine)
	n, _ := io.ReadFull(f, head)
	line, _, _ := bytes.Cut(head[:n], []byte{'\n'})
	rest, named := bytes.CutPrefix(line, []byte("#!"))
	rest = bytes.TrimLeft(rest, " \t")
	if end := bytes.IndexAny(rest, " \t"); end >= 0 {
		rest = rest[:end]
	}
	return string(rest), named
}
