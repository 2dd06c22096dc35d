package guardian

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestT1_KinAreLearntFromListsAndFromAScanAlike: a child and its child, whoever
// looks for them how; and this process's own are none of theirs.
func TestT1_KinAreLearntFromListsAndFromAScanAlike(t *testing.T) {
	shell := exec.Command("/bin/sh", "-c", "/bin/sh -c '/bin/sleep 1000 & echo $! $$; wait' & wait")
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for f := range strings.FieldsSeq(line) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	t.Cleanup(func() {
		for _, pid := range pids {
			p, _ := os.FindProcess(pid)
			_ = p.Kill()
		}
		_ = shell.Wait()
	})
	procs, err := Scan(Marks{})
	if err != nil {
		t.Fatal(err)
	}
	var listed, scanned Kin
	if !listed.Learn(shell.Process.Pid) {
		t.Error("Learn may have missed one")
	}
	scanned.LearnFrom(procs, shell.Process.Pid)
	for name, kin := range map[string]*Kin{"Learn": &listed, "LearnFrom": &scanned} {
		var got []int
		for _, p := range procs {
			if kin.Has(p) {
				got = append(got, p.PID)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, pids) {
			t.Errorf("%s found %v, want %v", name, got, pids)
		}
		if !kin.HasPID(pids[0]) || kin.HasPID(os.Getpid()) {
			t.Errorf("%s: HasPID differs", name)
		}
	}
}
