package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/netutil"

	"rollcall/redact"
)

// What one who reads the numbers may cost.
const (
	connections  = 64 // open at once; one more waits
	scrapes      = 4  // at work at once; one more is answered with 503
	headerLimit  = 16 << 10
	readLimit    = 5 * time.Second
	scrapeLimit  = 10 * time.Second // Prometheus' own default
	idleLimit    = 2 * time.Minute  // above the usual scrape interval
	farewellTime = 500 * time.Millisecond
)

// Serve answers requests on l until ctx ends. It closes l, and returns why it
// ended where ctx did not end it.
func (c *Collector) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           c.Handler(),
		ReadHeaderTimeout: readLimit,
		ReadTimeout:       readLimit,
		WriteTimeout:      scrapeLimit + readLimit,
		IdleTimeout:       idleLimit,
		MaxHeaderBytes:    headerLimit,
		ErrorLog:          log.New(io.Discard, "", 0), // what a client does wrong is no news of ours
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, connections)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the metrics: %w", err)
	case <-ctx.Done():
	}
	bye, cancel := context.WithTimeout(context.Background(), farewellTime)
	defer cancel()
	if server.Shutdown(bye) != nil {
		server.Close()
	}
	return nil
}

// Handler is the pages: /metrics, /healthz, and / that names them.
func (c *Collector) Handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapes, Timeout: scrapeLimit}))
	mux.HandleFunc("GET /healthz", c.healthz)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, "rollcall\n/metrics for Prometheus\n/healthz whether the engine's loop answers")
	})
	return mux
}

// healthz says whether the engine's loop answered within answerLimit.
func (c *Collector) healthz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerLimit)
	defer cancel()
	health, err := c.engine.Health(ctx)
	switch {
	case err == nil:
		say(w, http.StatusOK, "ok")
	case errors.Is(err, context.DeadlineExceeded):
		say(w, http.StatusServiceUnavailable, fmt.Sprintf("the engine's loop did not answer within %d ms; %d messages wait for it",
			health.Lag.Milliseconds(), health.Mailbox))
	default:
		say(w, http.StatusServiceUnavailable, (*redact.Redactor)(nil).Error(err).String())
	}
}

func say(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	fmt.Fprintln(w, text)
}
