package config

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watched is a configuration under Watch in a folder of its own; each read sends
// the names of its servers, or what is wrong with it.
type watched struct {
	t     *testing.T
	dir   string
	reads chan string
}

// watchFile watches dir/path once the test has made it.
func watchFile(t *testing.T, dir, path string) *watched {
	t.Helper()
	w := &watched{t: t, dir: dir, reads: make(chan string, 100)}
	path = filepath.Join(dir, path)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Watch(ctx, path, func() *File {
			file, err := Load(path, testEnv())
			if err != nil {
				w.reads <- "broken"
				return nil
			}
			said := make([]string, 0, len(file.Entries))
			for _, e := range file.Entries {
				if e.Spec == nil {
					e.Name += "(refused)"
				}
				said = append(said, e.Name)
			}
			w.reads <- strings.Join(said, " ")
			return file
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return w
}

// until reads until what is wanted was read. A read before may have seen less.
func (w *watched) until(want string) {
	w.t.Helper()
	var seen []string
	deadline := time.After(10 * time.Second)
	for {
		select {
		case got := <-w.reads:
			if seen = append(seen, got); got == want {
				return
			}
		case <-deadline:
			w.t.Fatalf("read %q, want %q", seen, want)
		}
	}
}

func (w *watched) path(name string) string { return filepath.Join(w.dir, name) }

func (w *watched) put(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watched) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// servers is a configuration with servers of these names.
func servers(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("[servers." + name + "]\ncommand = \"x\"\n")
	}
	return b.String()
}

// start is a folder with a configuration that has the server a, being watched.
func start(t *testing.T) *watched {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "servers.toml"), []byte(servers("a")), 0o600); err != nil {
		t.Fatal(err)
	}
	w := watchFile(t, dir, "servers.toml")
	w.until("a")
	return w
}

func TestC8_ASaveIsSeenHoweverItIsMade(t *testing.T) {
	for name, save := range map[string]func(*watched){
		"written in place": func(w *watched) { w.put("servers.toml", servers("b")) },
		"replaced by a rename": func(w *watched) {
			w.put(".servers.toml.swp", servers("b"))
			w.do(os.Rename(w.path(".servers.toml.swp"), w.path("servers.toml")))
		},
		"moved away, then written anew": func(w *watched) {
			w.do(os.Rename(w.path("servers.toml"), w.path("servers.toml~")))
			w.put("servers.toml", servers("b"))
		},
		"its folder replaced": func(w *watched) {
			w.do(os.Rename(w.dir, w.dir+".old"))
			w.do(os.Mkdir(w.dir, 0o700))
			w.put("servers.toml", servers("b"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			save(w)
			w.until("b")
			w.put("servers.toml", servers("b", "c")) // and it is watched on
			w.until("b c")
		})
	}
}

func TestC8_ADeletedFileIsBrokenUntilItIsBack(t *testing.T) {
	w := start(t)
	w.do(os.Remove(w.path("servers.toml")))
	w.until("broken")
	w.put("servers.toml", servers("a", "b"))
	w.until("a b")
	w.do(os.RemoveAll(w.dir))
	w.until("broken")
	w.do(os.Mkdir(w.dir, 0o700))
	w.put("servers.toml", servers("c"))
	w.until("c")
}

func TestC8_HalfASaveIsNotRead(t *testing.T) {
	w := start(t)
	began := time.Now()
	f, err := os.Create(w.path("servers.toml")) // an editor that truncates first
	w.do(err)
	for _, part := range []string{"[servers.a]\n", "command = \"x\"\n", "[servers.b]\n", "command = \"x\"\n"} {
		_, err := f.WriteString(part)
		w.do(err)
	}
	w.do(f.Close())
	if took := time.Since(began); took >= quiet {
		t.Skipf("the save took %s: it was no quick one", took)
	}
	if got := <-w.reads; got != "a b" {
		t.Errorf("the first read after the save saw %q", got)
	}
}

func TestC8_ALinkIsFollowed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w := &watched{t: t, dir: root}
	for _, dir := range []string{"etc", "one", "two"} {
		w.do(os.Mkdir(w.path(dir), 0o700))
		w.put(dir+"/real.toml", servers(dir))
	}
	w.do(os.Symlink("../one/real.toml", w.path("etc/servers.toml")))
	w = watchFile(t, root, "etc/servers.toml")
	w.until("one")
	w.put("one/real.toml", servers("one", "more")) // what it leads to changes
	w.until("one more")
	w.do(os.Symlink("../two/real.toml", w.path("etc/next"))) // it leads elsewhere
	w.do(os.Rename(w.path("etc/next"), w.path("etc/servers.toml")))
	w.until("two")
	w.put("two/real.toml", servers("two", "more"))
	w.until("two more")
}

func TestC8_AConfigMapIsFollowed(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w := &watched{t: t, dir: root}
	for _, version := range []string{"v1", "v2"} {
		w.do(os.Mkdir(w.path(".."+version), 0o700))
		w.put(".."+version+"/servers.toml", servers(version))
	}
	w.do(os.Symlink("..v1", w.path("..data")))
	w.do(os.Symlink("..data/servers.toml", w.path("servers.toml")))
	w = watchFile(t, root, "servers.toml")
	w.until("v1")
	w.do(os.Symlink("..v2", w.path("..data_tmp")))
	w.do(os.Rename(w.path("..data_tmp"), w.path("..data")))
	w.do(os.RemoveAll(w.path("..v1")))
	w.until("v2")
}

func TestC8_AnEnvFileCounts(t *testing.T) {
	w := start(t)
	w.put("servers.toml", servers("a")+"env_file = \"sub/a.env\"\n")
	w.until("a(refused)")
	w.do(os.Mkdir(w.path("sub"), 0o700))
	w.put("sub/a.env", "TOKEN=one\n")
	w.until("a")
	w.put("sub/a.env", "no variable\n")
	w.until("a(refused)")
}

func TestC8_OtherFilesOfTheFolderDoNotCount(t *testing.T) {
	w := start(t)
	w.put("failures.log", "a line\n")
	w.put("servers.toml.bak", servers("z"))
	w.put("servers.toml", servers("b"))
	w.until("b")
	w.put("failures.log", "another\n")
	select {
	case got := <-w.reads:
		t.Errorf("read once more: %q", got)
	case <-time.After(2 * quiet):
	}
}

func TestC8_AFileThatChangesAllTheTimeIsRead(t *testing.T) {
	first := time.Unix(0, 0)
	for after, want := range map[time.Duration]time.Duration{
		0: quiet, atMost / 2: quiet, atMost - quiet: quiet, atMost - time.Millisecond: time.Millisecond, atMost: 0, 2 * atMost: 0,
	} {
		if got := untilCalm(first, first.Add(after)); got != want {
			t.Errorf("%s after the first change it waits %s more, want %s", after, got, want)
		}
	}
}

// TestC8_OnlyWhatLeadsToTheFileIsWatched: folders that no longer do are let go,
// or a ConfigMap would cost a watch a version.
func TestC8_OnlyWhatLeadsToTheFileIsWatched(t *testing.T) {
	w := &watched{t: t, dir: t.TempDir()}
	for _, dir := range []string{"one", "two"} {
		w.do(os.Mkdir(w.path(dir), 0o700))
		w.put(dir+"/servers.toml", servers("a"))
	}
	notify, err := fsnotify.NewWatcher()
	w.do(err)
	defer notify.Close()
	f := &watch{notify: notify, files: []string{w.path("servers.toml")}}
	for _, dir := range []string{"one", "two"} {
		w.do(os.Symlink(dir+"/servers.toml", w.path("next")))
		w.do(os.Rename(w.path("next"), w.path("servers.toml")))
		if _, err := f.follow(); err != nil {
			t.Fatal(err)
		}
		got, want := notify.WatchList(), []string{w.dir, w.path(dir)}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("watched are %q, want %q", got, want)
		}
	}
}
