package guardian

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Arg is the first argument that asks a program to be the guardian. The second
// is the beginning of the host's marks.
const Arg = "__guardian"

// OwnMark is a guardian's own mark, and NoMark the environment variable that
// holds it: no launch has it, so a guardian belongs to nobody that started its
// rollcall. It has to outlive that one.
const (
	OwnMark = "guardian"
	NoMark  = Variable + "=" + OwnMark
)

// AlertMark is the mark of what rollcall starts that is no launch, an alert's
// program: nobody ends it but itself. Variable is the environment variable that
// holds marks.
const (
	AlertMark = "alert"
	Variable  = "ROLLCALL_CHILD"
)

// StateVariable holds the State of the terminal that is the guardian's stdout.
const StateVariable = "ROLLCALL_TERMINAL"

// What a line of the pipe says of a group.
const (
	Add    = '+'
	Remove = '-'
	Left   = '~' // before a file's path: the terminal was left, stderr is that file
	Bye    = "." // the line before an orderly end
)

// The guardian's files. Its stdin and stdout are the null device, but for a
// terminal that the dashboard draws on; its stderr is rollcall's.
const (
	groupsFile = 3
	crashFile  = 4 // what rollcall's runtime prints on its way down
)

const (
	patience = 5 * time.Second      // how long it tries after the pipe's end
	pause    = 5 * time.Millisecond // between two tries
)

// Asked reports whether this process was started to be the guardian.
func Asked() bool { return len(os.Args) == 3 && os.Args[1] == Arg }

// Group is the process group of a launch, as the guardian is told of it.
type Group struct {
	Leader Born // when its leader was started
	// Outputs are what the launch's stdout and stderr lead to, as PipeName has
	// it: who has one of them open came from the launch.
	Outputs []string
}

// AddLine is the line that adds a group.
func AddLine(pgid int, g Group) string {
	return string(rune(Add)) + strconv.Itoa(pgid) + " " + strings.Join(append([]string{g.Leader.String()}, g.Outputs...), " ") + "\n"
}

// RemoveLine is the line that removes a group.
func RemoveLine(pgid int) string { return string(rune(Remove)) + strconv.Itoa(pgid) + "\n" }

// Main is the guardian: it reads groups until their pipe's end, kills those
// that are left, and what bears the host's mark. Where rollcall broke, or died
// without a word, it puts the terminal back (D10, R4). The process is to exit
// when it returns.
func Main() {
	rollcall := os.Getppid()
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	screen := openTerminal(os.Stdout, os.Getenv(StateVariable))
	broke := make(chan bool, 1)
	go func() { broke <- crash(os.NewFile(crashFile, "crash"), os.Stderr, screen.putBack) }()
	watch := newLookout()
	go watch.run()
	groups, bye := read(watch.hear(&unhurried{file: os.NewFile(groupsFile, "groups"), pause: readPause}), letGo)
	holds := holder(groups, rollcall)
	if bye { // it lives, and perhaps a child of it that does not run its program yet
		holds = nil
	}
	for until, known := time.Now().Add(patience), watch.end(); kill(groups, holds, os.Args[2], known) && time.Now().Before(until); {
		time.Sleep(pause)
	}
	select {
	case crashed := <-broke:
		if !crashed && !bye {
			screen.leaveScreen()
		}
	case <-time.After(patience): // something else holds the other end
	}
}

// read returns the groups that are left at the pipe's end, and whether rollcall
// said that this is an orderly end. Where it says that the terminal was left,
// left is told what stderr is now.
func read(pipe io.Reader, left func(stderr string)) (groups map[int]Group, bye bool) {
	groups = map[int]Group{}
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		line := lines.Text()
		if line == Bye {
			bye = true
		}
		if len(line) < 2 {
			continue
		}
		if line[0] == Left {
			left(line[1:])
			continue
		}
		words := strings.Split(line[1:], " ")
		pgid, err := strconv.Atoi(words[0])
		switch {
		case err != nil || pgid <= 1:
		case line[0] == Remove:
			delete(groups, pgid)
		case line[0] == Add:
			groups[pgid] = parseGroup(words[1:])
		}
	}
	return groups, bye
}

func parseGroup(words []string) (g Group) {
	if len(words) > 0 {
		g.Leader, g.Outputs = parseBorn(words[0]), words[1:]
	}
	return g
}

// holder tells who holds an output of a group, also of one that is gone by then,
// but for one process, rollcall: should it live after all, it holds the other ends.
func holder(groups map[int]Group, rollcall int) func(pid int) bool {
	outputs := map[string]bool{}
	for _, g := range groups {
		for _, name := range g.Outputs {
			outputs[name] = true
		}
	}
	return func(pid int) bool {
		return len(outputs) > 0 && pid != rollcall && HoldsPipe(pid, func(name string) bool { return outputs[name] })
	}
}

// letGo forgets the terminal: stdout is the null device then, and stderr a file,
// or the null device too where that cannot be opened.
func letGo(stderr string) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	_ = unix.Dup2(int(null.Fd()), int(os.Stdout.Fd()))
	log, err := os.OpenFile(stderr, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		log = null
	}
	_ = unix.Dup2(int(log.Fd()), int(os.Stderr.Fd()))
	_ = log.Close()
}

// kill signals what is left, and reports whether there was anything alive. It
// looks first: what has its mark from its parent alone loses both with it. What
// has no mark at all is known by what it holds; nil: by nothing.
func kill(groups map[int]Group, holds func(pid int) bool, mark string, known Marks) (more bool) {
	procs, err := Scan(known)
	for pgid, g := range groups {
		// A group whose leader is gone keeps its number while it has members; a
		// leader that was started at another time means that the number was given anew.
		if now := startTime(pgid); now != 0 && !g.Leader.holds(now) {
			delete(groups, pgid)
			continue
		}
		if syscall.Kill(-pgid, syscall.SIGKILL) != nil {
			delete(groups, pgid)
		}
	}
	if err != nil {
		return true // it could not look
	}
	for _, p := range procs {
		_, member := groups[p.Group]
		if strings.HasPrefix(p.Mark, mark+"-") || p.Mark == "" && holds != nil && holds(p.PID) {
			_ = syscall.Kill(p.PID, syscall.SIGKILL)
			member = true
		}
		more = more || member
	}
	return more
}
