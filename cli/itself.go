package cli

import (
	"errors"
	"io/fs"
	"os"

	"rollcall/model"
)

// itself is the running program, which the kernel keeps whatever becomes of its
// file. It is so in this process, and in the child of a fork until exec. The name
// that would mean it everywhere, /proc/PID/exe, is closed to others by hide.
const itself = "/proc/self/exe"

// present is the spec as it is launched now. Where it is to run this program's
// file, as ${ROLLCALL_EXE} (C7), and that file is gone, it runs the program
// itself: `go run` removes what it has built when it ends, and an engine may serve
// on. What has taken the file's place is newer, and is run. An entry is read long
// before its last retry, so this is asked at each launch, and at each look.
func present(spec *model.Spec, exe string) *model.Spec {
	if spec == nil || spec.Launch == nil || exe == "" || spec.Launch.Path != exe {
		return spec
	}
	if _, err := os.Stat(exe); !errors.Is(err, fs.ErrNotExist) {
		return spec
	}
	if _, err := os.Stat(itself); err != nil {
		return spec // there is no such name on this system
	}
	now, launch := *spec, *spec.Launch
	launch.Path = itself
	now.Launch = &launch
	return &now
}
