package alert

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// Result is what came of one try to send a post.
type Result struct {
	Err   redact.Safe // empty: it was taken
	Said  redact.Safe // what came back: HTTP 204
	Took  time.Duration
	After time.Duration // how long the receiver asks to wait before the next try; 0: it does not
}

// Webhook posts to a URL (A5). Its methods may be called from any goroutine.
type Webhook struct {
	url      redact.Secret
	format   string
	redactor *redact.Redactor
	client   *http.Client
}

// NewWebhook makes a webhook. The URL is http or https; redactor takes it out of
// errors. The proxy is that of the environment.
func NewWebhook(u redact.Secret, format string, redactor *redact.Redactor) *Webhook {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConns: 1, IdleConnTimeout: time.Minute}
	return &Webhook{u, format, redactor, &http.Client{
		Transport: transport,
		// A redirect would take the post to where nobody has sent it.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Kind tells it from an Exec.
func (w *Webhook) Kind() string { return "webhook" }

// Name is how the webhook is spoken of: its format and its host, no more.
func (w *Webhook) Name() redact.Safe {
	host := redact.Word("?")
	if u, err := url.Parse(w.url.Reveal()); err == nil {
		host = w.redactor.Text(u.Host)
	}
	return redact.Sprintf("webhook (%s, %s)", redact.Name(w.format), host)
}

// Tries is how often a post is tried.
func (w *Webhook) Tries() int { return 3 }

// maxAnswer bounds what is read of an answer, in bytes; what it says is not
// shown.
const maxAnswer = 64 << 10

// Send tries once, for as long as ctx lets it.
func (w *Webhook) Send(ctx context.Context, p Post) Result {
	began := time.Now()
	r := w.send(ctx, p)
	r.Took = time.Since(began)
	return r
}

func (w *Webhook) send(ctx context.Context, p Post) Result {
	b, err := body(w.format, p)
	if err != nil {
		return Result{Err: w.redactor.Error(err)}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.Reveal(), bytes.NewReader(b))
	if err != nil {
		return Result{Err: redact.Word("its URL cannot be used")}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "rollcall")
	res, err := w.client.Do(req)
	if err != nil {
		return Result{Err: w.failure(ctx, err)}
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxAnswer)) // so that the connection can be used again
	r := Result{Said: redact.Sprintf("HTTP %d", redact.Int(res.StatusCode)), After: retryAfter(res.Header.Get("Retry-After"), time.Now())}
	switch {
	case res.StatusCode >= 200 && res.StatusCode < 300:
		r.After = 0
	case res.StatusCode >= 300 && res.StatusCode < 400:
		r.Err = redact.Sprintf("%s: redirected, and not followed: write the URL that it leads to", r.Said)
	default:
		r.Err = r.Said
	}
	return r
}

// failure is why no answer came. The URL is not repeated.
func (w *Webhook) failure(ctx context.Context, err error) redact.Safe {
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return redact.Word("no answer in time")
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return w.redactor.Error(err)
}

// retryAfter reads the header of that name: seconds, or a date. 0 where it says
// nothing.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if n, err := strconv.ParseFloat(header, 64); err == nil { // Discord sends fractions
		if n > 0 && n < float64(model.MaxTimer/time.Second) {
			return time.Duration(n * float64(time.Second))
		}
		return 0
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
