#!/usr/bin/env bash
# Makes the screenshots anew, from the running program. Needs go, tmux, and
# Debian's librsvg2-bin and fonts-jetbrains-mono.
#   bash docs/screenshots/make.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
tmux() { command tmux -L "rollcall-shots-$$" "$@"; }
trap 'tmux kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT
go build -o "$dir/rollcall" .

# see TEXT: wait until the screen shows it, 90 s at most.
see() {
	for ((i = 0; i < 900; i++)); do
		if tmux capture-pane -t shot -p | grep -qE -- "$1"; then return; fi
		sleep 0.1
	done
	printf 'the screen does not show: %s\n' "$1" >&2
	tmux capture-pane -t shot -p >&2
	exit 1
}

# shot NAME: the screen as a PNG. freeze does not know SGR 39.
shot() {
	tmux capture-pane -t shot -p -e | sed 's/\x1b\[39m/\x1b[0m/g' >"$dir/$1.ansi"
	go run github.com/charmbracelet/freeze@v0.2.2 --language ansi --window --padding 16 --margin 0 \
		--font.family 'JetBrains Mono' -o "docs/screenshots/$1.png" "$dir/$1.ansi" >/dev/null
	echo "docs/screenshots/$1.png"
}

# leave: end what is shown, and wait until its ports are free.
leave() {
	tmux kill-server 2>/dev/null || true
	while pgrep -f "^$dir/rollcall" >/dev/null; do sleep 0.2; done
}

# screen WIDTH HEIGHT: the example configuration, once it shows trouble.
screen() {
	leave
	COLORTERM=truecolor TERM=xterm-256color tmux new-session -d -s shot -x "$1" -y "$2" "XDG_STATE_HOME=$dir/state-$1 $dir/rollcall"
	see 'flapping +. waiting +2'
	see 'healthy +. up'
	tmux send-keys -t shot /
	tmux send-keys -t shot -l flapping
	tmux send-keys -t shot Enter
	see '^▸ +flapping'
	tmux send-keys -t shot Escape
	see 'healthy'
	see '^▸ +flapping'
}

screen 80 24
shot overview-80x24
screen 200 50
shot overview-200x50
# Every phase at once.
leave
COLORTERM=truecolor TERM=xterm-256color tmux new-session -d -s shot -x 120 -y 30 \
	"XDG_STATE_HOME=$dir/state-phases $dir/rollcall -c docs/screenshots/phases.toml"
see 'up +. up'
see 'ended +. ended'
see 'waiting +. waiting'
see 'queued +. . queued|queued +… queued'
tmux send-keys -t shot /
tmux send-keys -t shot -l stopping
tmux send-keys -t shot Enter
see '^▸ +stopping'
tmux send-keys -t shot d Escape
see 'stopping +. stopping'
shot phases-120x30
