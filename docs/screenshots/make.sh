#!/usr/bin/env bash
# Makes the screenshots anew, from the running program, in some four minutes.
# Needs go, tmux, and Debian's librsvg2-bin, fonts-jetbrains-mono, netpbm
# and gifsicle.
#   bash docs/screenshots/make.sh [overview phases sixty flapping]
set -euo pipefail
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
tmux() { command tmux -L "rollcall-shots-$$" "$@"; }
# An engine that runs here already is neither looked at nor stopped.
export XDG_RUNTIME_DIR=$dir/run XDG_STATE_HOME=$dir/state
mkdir -m 700 "$XDG_RUNTIME_DIR"
config=servers.toml

# stop: end the engine, which a closed terminal would leave serving, and the
# terminal. `stop` comes back when every process is gone.
stop() {
	"$dir/rollcall" stop --yes -c "$config" >/dev/null 2>&1 || true
	tmux kill-session -t shot 2>/dev/null || true
}

trap 'stop; tmux kill-server 2>/dev/null || true; rm -rf "$dir"' EXIT
go build -o "$dir/rollcall" .
GOBIN=$dir go install github.com/charmbracelet/freeze@v0.2.2
dark=('#15181e' '#d3d7de' '#8a919c') # background, text, what is faint
light=('#f7f8fa' '#22262d' '#6b727d')

# start COLOURS WIDTH HEIGHT: a dashboard of $config in the terminal `shot`,
# which says that it has this background. Where an engine runs it is the same.
start() {
	declare -gn now=$1
	tmux kill-session -t shot 2>/dev/null || true
	tmux -f /dev/null start-server \; set -g exit-empty off \; set -g window-style "bg=${now[0]},fg=${now[1]}" \; \
		new-session -d -s shot -x "$2" -y "$3" "COLORTERM=truecolor TERM=xterm-256color $dir/rollcall -c $config"
}

screen() { tmux capture-pane -t shot -p; }
press() { tmux send-keys -t shot "$@"; }

# see TEXT: wait until the screen shows it, 90 s at most.
see() {
	for ((i = 0; i < 900; i++)); do
		if grep -qE -- "$1" <<<"$(screen)"; then return; fi
		sleep 0.1
	done
	printf 'the screen does not show: %s\n' "$1" >&2
	screen >&2
	exit 1
}

# choose SERVER: select it, by a filter that is taken back.
choose() {
	press /
	press -l "$1"
	press Enter
	see "^▸ +$1"
	press Tab Tab Escape # who goes into the pane has chosen
	see '^ . SERVER'
	see "^▸ +$1"
}

# size WIDTH HEIGHT: another size of the terminal, once the program fills it.
size() {
	tmux resize-window -t shot -x "$1" -y "$2"
	for ((i = 0; i < 50; i++)); do
		if [[ $(screen | wc -l) == "$2" && $(screen | tail -1) == *quit* ]]; then return; fi
		sleep 0.1
	done
}

# rgb #rrggbb: as a control sequence has it.
rgb() { printf '38;2;%d;%d;%d' "0x${1:1:2}" "0x${1:3:2}" "0x${1:5:2}"; }

# carry: each line begins in the style that the one before ended in. tmux leaves
# that to the terminal; freeze forgets it.
carry() {
	awk '{
		print (/^\033\[0/ ? "" : style) $0
		for (rest = $0; match(rest, /\033\[[0-9;]*m/); rest = substr(rest, RSTART + RLENGTH)) {
			sgr = substr(rest, RSTART, RLENGTH)
			style = sgr ~ /^\033\[0/ ? sgr : style sgr
		}
	}'
}

# draw FILE ZOOM: what tmux captured, as FILE.png. freeze knows neither SGR 39
# nor SGR 2, and has a text colour of its own.
draw() {
	local text faint
	text=$(rgb "${now[1]}") faint=$(rgb "${now[2]}")
	carry <"$1.ansi" | sed -E "s/\x1b\[(0;)?2m(\x1b\[39m)?/\x1b[0m\x1b[${faint}m/g; s/\x1b\[39m/\x1b[${text}m/g" >"$1.in"
	"$dir/freeze" --language ansi --padding 16 --margin 0 --background "${now[0]}" \
		--font.family 'JetBrains Mono' -o "$1.svg" "$1.in" >/dev/null
	sed -i "s/#c4c4c4/${now[1]}/gI" "$1.svg"
	rsvg-convert --zoom "$2" -o "$1.png" "$1.svg"
}

# shot NAME [ZOOM]: the screen as docs/screenshots/NAME.png.
shot() {
	tmux capture-pane -t shot -p -e -N >"$dir/$1.ansi"
	draw "$dir/$1" "${2:-1.5}"
	mv "$dir/$1.png" docs/screenshots/
	echo "docs/screenshots/$1.png"
}

# overview: the example configuration, once it shows trouble.
overview() {
	config=servers.toml
	start dark 200 50
	see 'down: .*flapping' # that takes five reconnects
	see 'healthy +. up'
	see 'flapping +. waiting +[0-9]+ +[0-9]'
	choose flapping
	size 199 50 # drawn whole
	size 200 50
	see 'MCP server down \(attempt' # keys that drew much come before the pane's lines
	shot overview-200x50
	size 120 36
	press 2
	see '\[2 failures\]'
	shot failures-120x36
	press 4
	see '24 h: .* failures'
	shot history-120x36
	size 120 48
	choose slow-probe
	press 3
	see 'probe_timeout'
	shot details-120x48
	size 120 36
	choose flapping
	press 1
	press /
	press -l tag:bad
	press Enter '*' r
	see 'restart [0-9] servers: .*y/n'
	see 'MCP server down \(attempt'
	shot bulk-120x36
	start light 120 36 # the terminal closes; another dashboard finds the engine
	see 'flapping +. '
	choose flapping
	see 'flapping +. waiting +[0-9]+ +[0-9]'
	shot light-120x36
	stop
}

# phases: every phase at once.
phases() {
	config=docs/screenshots/phases.toml
	start dark 120 30
	see 'up +. up'
	see 'ended +. ended'
	see 'waiting +. waiting'
	see 'queued +… queued'
	choose stopping
	press d
	see 'stopping +. stopping'
	shot phases-120x30
	stop
}

# sixty: which of 60 servers is broken, since when, why, and when it is tried
# again, on a small screen and without a key.
sixty() {
	config=$dir/sixty.toml
	{
		printf '[defaults]\nlasting_after = "20s"\nstart_concurrency = 16\n'
		local healthy='args = ["demo", "healthy"]' name run
		for name in airtable asana bigquery billing browser calendar charts chat clickhouse crm deno docs drive fetch \
			figma filesystem gitlab grafana images intercom jira kubernetes linear mail maps memory metrics miro \
			node notes notion ocr pagerduty pdf postgres prometheus python queue redis s3 search sentry shell \
			slack snowflake speech sqlite stripe terraform todoist translate trello vault weather wiki zendesk \
			github hubspot playwright zoom; do
			case $name in
			github) run=$'args = ["demo", "flap"]\nenv = { TOKEN = "demo-4f1c9a7e2b" }\nreconnect_interval = "1s"' ;;
			hubspot) run=$'args = ["demo", "never"]\nstart_timeout = "10s"\nreconnect_interval = "30s"' ;;
			playwright) run=$'args = ["demo", "slow-probe"]\nprobe_interval = "6s"\nprobe_timeout = "2s"' ;;
			*) run=$healthy ;;
			esac
			printf '[servers.%s]\ncommand = "${ROLLCALL_EXE}"\n%s\n' "$name" "$run"
		done
	} >"$config"
	start dark 80 24
	see '1 down: github'
	see 'github +. waiting +[0-9]+ +[0-9]'
	see '● 5[0-9]'
	shot sixty-80x24 2
	stop
}

# flapping: a server that flaps until it is down, moving, as it was seen five
# times a second. A picture lasts until the next one that differs.
flapping() {
	config=docs/screenshots/flapping.toml
	start dark 80 20
	local frames=() times=() text last='' end=''
	while [[ -z $end || ${EPOCHREALTIME/./} -lt $end ]]; do
		text=$(tmux capture-pane -t shot -p -e -N)
		if [[ $text != "$last" && $text == *flapping* ]]; then
			printf '%s\n' "$text" >"$dir/frame$((100 + ${#frames[@]})).ansi"
			frames+=("$dir/frame$((100 + ${#frames[@]}))")
			times+=("${EPOCHREALTIME/./}")
			last=$text
		fi
		if [[ -z $end && $text == *'1 down'* ]]; then end=$((${EPOCHREALTIME/./} + 4000000)); fi
		sleep 0.2
	done
	times+=("${EPOCHREALTIME/./}")
	stop
	# All pictures get the same 128 colours, so that what stays the same costs
	# nothing.
	local i delays=()
	for i in "${!frames[@]}"; do
		draw "${frames[i]}" 1.3
		pngtopnm "${frames[i]}.png" >"${frames[i]}.ppm"
		delays+=("-d$(((times[i + 1] - times[i]) / 10000))" "${frames[i]}.gif")
	done
	pnmcat -topbottom "$dir"/frame*.ppm | pnmcolormap 128 >"$dir/colours" 2>/dev/null
	for i in "${frames[@]}"; do
		pnmremap -quiet -mapfile="$dir/colours" "$i.ppm" | ppmtogif 2>/dev/null >"$i.gif"
	done
	gifsicle -O3 --loopcount "${delays[@]}" >docs/screenshots/flapping.gif
	echo "docs/screenshots/flapping.gif: ${#frames[@]} pictures, $(((times[-1] - times[0]) / 1000000)) s"
}

for part in "${@:-overview phases sixty flapping}"; do
	for one in $part; do "$one"; done
done
