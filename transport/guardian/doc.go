// Package guardian is a small process that kills what rollcall launched when
// rollcall itself dies without warning (T1). It imports next to nothing: main
// hands over to it before the rest of the program does any work.
//
//	rollcall ── "+4711 8812-8813 pipe:[17] …\n", "-4711\n" ──▶ pipe, fd 3 ──▶ guardian
//	meanwhile ─▶ now and again a look at who is whose child
//	rollcall dies ─▶ end of file ─▶ SIGKILL to each group, then to each mark
//	rollcall's runtime ── "fatal error: …" ──▶ pipe, fd 4 ──▶ the terminal put back, a clean report on stderr
//
// The second pipe takes one write at a time: what rollcall's runtime prints on
// its way down waits until the guardian has read what came before, so that the
// terminal is put back before the shell sees rollcall's end.
//
// What is told waits in the pipe for a moment, so that a busy start wakes the
// guardian now and then, not at each launch; the pipe's end ends that wait.
//
// Invariants: it kills a group only if its leader was started when it was told
// that it was; it kills a process by its mark, or its ancestors', only if that
// is this host's, and one without any by the output of a launch that it holds; it ends by itself within seconds after the pipe's end.
package guardian
