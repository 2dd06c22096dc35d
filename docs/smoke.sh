#!/usr/bin/env bash
# A smoke test of the whole program on a pseudo terminal: the dashboard comes
# up on the example configuration, obeys r, d and c, asks before it quits, and
# leaves neither a process nor a changed terminal behind. Needs go and tmux.
#   bash docs/smoke.sh
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
tmux() { command tmux -L "rollcall-smoke-$$" "$@"; }
screen() { tmux capture-pane -t smoke -p; }
export XDG_RUNTIME_DIR=$dir/run # an engine that runs here already is not looked at
mkdir -m 700 "$XDG_RUNTIME_DIR"
clean() {
	"$dir/rollcall" stop --yes >/dev/null 2>&1 || true # a closed terminal would leave it serving
	tmux kill-server 2>/dev/null || true
	rm -rf "$dir"
}
trap clean EXIT
fail() {
	printf 'smoke: %s\n\n' "$1"
	screen
	exit 1
}
# see TEXT: the screen shows it within 20 s.
see() {
	for ((i = 0; i < 200; i++)); do
		if grep -qE -- "$1" <<<"$(screen)"; then return; fi
		sleep 0.1
	done
	fail "the screen does not show: $1"
}
press() { tmux send-keys -t smoke "$@"; }

go build -o "$dir/rollcall" .
tmux new-session -d -s smoke -x 120 -y 40 \
	"stty -a >$dir/before; XDG_RUNTIME_DIR=$dir/run XDG_STATE_HOME=$dir/state $dir/rollcall; echo exit \$?; stty -a >$dir/after; exec cat"

see 'healthy +. settling'
see 'refused +. refused'
see 'flapping +. (waiting|starting|settling)'
press /; press -l healthy; press Enter # the filter selects it
see '^.{0,2} healthy'
press r
see 'restart healthy: done'
press d
see 'healthy +. off'
press c
see 'healthy +. settling'
press q
see 'y/n'
press y
see '^exit 0$'
cmp -s "$dir/before" "$dir/after" || fail 'the terminal is not as it was'
# Each launch inherits XDG_STATE_HOME: whoever still has it was left behind.
if left=$(grep -lsa "XDG_STATE_HOME=$dir/" /proc/[0-9]*/environ); then
	fail "processes were left behind: $left"
fi
echo 'smoke: 1 passed, 0 failed'
