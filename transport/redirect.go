package transport

import (
	"errors"
	"fmt"
	"net/http"
)

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 10

var errRedirects = errors.New("redirects in a row")

// follow follows a redirect that asks for the same request elsewhere: of a POST
// 307 and 308, of a WebSocket's opening, which is a GET, any. The others turn a
// POST into a GET, and the answer to that is no MCP. The WebSocket library's own
// bound is none.
func (rt *roundTripper) follow(req *http.Request, via []*http.Request) error {
	switch {
	case req.Method != via[0].Method:
		return http.ErrUseLastResponse
	case len(via) < maxRedirects:
		return nil
	}
	to := ""
	if last := rt.status.Swap(nil); last != nil { // that it is a redirect is not what is wrong
		to = ", the last to " + last.to.String()
	}
	return fmt.Errorf("%d %w%s: check the url", maxRedirects, errRedirects, to)
}
