package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"rollcall/model"
)

// Of rollcall itself.
var (
	buildInfo = prometheus.NewDesc("rollcall_build_info",
		"Always 1; the version says which rollcall this is.", []string{"version", "goversion"}, nil)
	engineUp = prometheus.NewDesc("rollcall_engine_up",
		"Whether the engine's loop answered within a second: 1 or 0. With 0 the fleet is not told.", nil, nil)
	loopLag = prometheus.NewDesc("rollcall_engine_loop_lag_seconds",
		"How long the engine's loop took to answer this scrape, or had not answered for.", nil, nil)
	mailbox = prometheus.NewDesc("rollcall_engine_mailbox_messages",
		"Messages that waited for the engine's loop when this scrape asked.", nil, nil)
	episodesOpen = prometheus.NewDesc("rollcall_episodes_open",
		"Servers with an open episode: down, halted or refused, and not recovered since.", nil, nil)
	configProblem = prometheus.NewDesc("rollcall_config_problem",
		"Whether something is wrong with the configuration's file as it was saved: 1 or 0.", nil, nil)
	warnings = prometheus.NewDesc("rollcall_warnings",
		"What else an operator must know of rollcall itself: the dashboard's header has the words.", nil, nil)
	livesOpts = prometheus.HistogramOpts{Name: "rollcall_connection_life_seconds",
		Help:    "How long connections lived, from the completed handshake to an end that no operator and no reload ordered.",
		Buckets: []float64{1, 10, 60, 300, 3600, 6 * 3600, 24 * 3600, 7 * 24 * 3600}} // 300 s and an hour are L1's
	eventsTotal = prometheus.NewDesc("rollcall_events_total",
		"Events by kind, over all servers.", []string{"event"}, nil)
	eventsMissed = prometheus.NewDesc("rollcall_events_missed_total",
		"Events that came too fast to be counted; the other counters lack them.", nil, nil)
)

// Of a server, from its row in the snapshot.
var (
	serverPhase = prometheus.NewDesc("rollcall_server_phase",
		"1 for the phase that the server is in, 0 for the others.", []string{"server", "phase"}, nil)
	serverAttempt = prometheus.NewDesc("rollcall_server_attempt",
		"The present attempt: 0 is the first connect since the count started afresh.", perServer, nil)
	serverEpisode = prometheus.NewDesc("rollcall_server_episode_open",
		"Whether an episode is open (down, halted or refused, and not recovered since): 1 or 0.", perServer, nil)
	serverStarts = prometheus.NewDesc("rollcall_server_starts_total",
		"Dials, launches among them; an attempt may take two.", perServer, nil)
	serverLines = prometheus.NewDesc("rollcall_server_stderr_lines_total",
		"Lines of stderr.", perServer, nil)
	serverBytes = prometheus.NewDesc("rollcall_server_stderr_bytes_total",
		"Bytes of stderr's lines, as they are kept: redacted, the longest ones cut.", perServer, nil)
	serverNoise = prometheus.NewDesc("rollcall_server_noise_lines_total",
		"Lines of stdout that were no JSON-RPC message.", perServer, nil)
)

// Of a server, counted from its events.
var (
	attemptsOpts = prometheus.CounterOpts{Name: "rollcall_server_attempts_total",
		Help: "Attempts that began."}
	failuresOpts = prometheus.CounterOpts{Name: "rollcall_server_attempt_failures_total",
		Help: "Failed attempts: no connection was made, or it ended before it had lasted. Permanent failures are not among them: see the phase halted."}
	lossesOpts = prometheus.CounterOpts{Name: "rollcall_server_losses_total",
		Help: "Connections that ended after they had lasted."}
	probesOpts = prometheus.CounterOpts{Name: "rollcall_server_probes_total",
		Help: "Probes by outcome."}
	latencyOpts = prometheus.HistogramOpts{Name: "rollcall_server_probe_latency_seconds",
		Help:    "How long alive probes took.",
		Buckets: []float64{.001, .0025, .01, .025, .1, .25, 1, 2.5, 8}} // 8 s is the window (P4)
)

var (
	perServer  = []string{"server"}
	perOutcome = []string{"server", "outcome"}
)

// outcomes are the outcomes of a probe, as events say them.
var outcomes = [...]model.Outcome{model.Alive, model.Missing, model.Broken, model.TimedOut, model.ProbeError}
