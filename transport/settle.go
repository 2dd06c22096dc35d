package transport

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

// maxToolPages is how many pages of tools one server may have (T8).
const maxToolPages = 1_000

// settle does what follows the handshake: the policy exchange and tools/list,
// each of which gives up after 15 s. Then it tells Connected. An error means
// that the connection broke meanwhile, and that nothing was told (M3).
func (r *Run) settle(p *process, s *session) error {
	if err := r.exchangePolicy(s); broke(err) {
		return err
	}
	tools := model.Opt[int]{}
	if c := s.client.InitializeResult().Capabilities; c != nil && c.Tools != nil {
		n, err := r.countTools(s)
		switch {
		case errors.Is(err, errTools):
			r.close(time.Now(), model.End{Cause: model.ClosedByHost, Text: redact.Sprintf(
				"the server's list of tools is longer than %d tools or %d pages", redact.Int(r.host.maxTools), redact.Int(maxToolPages))})
			return err
		case broke(err):
			return err
		case err == nil:
			tools = model.Some(n)
		}
	}
	if p != nil {
		r.host.learnSoon(p) // it may end of itself, and leave nobody to learn from
	}
	r.report(model.Connected{At: time.Now(), Tools: tools})
	return nil
}

// broke tells a broken connection from a request that was answered with an
// error or with nonsense, or not in time.
func broke(err error) bool {
	return err != nil && rpcError(err) == nil && !errors.Is(err, context.DeadlineExceeded) && !passing(err) && wellShaped(err)
}

var errTools = errors.New("the list of tools is too long")

// countTools asks for every page of tools/list.
func (r *Run) countTools(s *session) (int, error) {
	ctx, stop := context.WithTimeout(r.ctx, r.host.waits.settle)
	defer stop()
	n, cursor := 0, ""
	for range maxToolPages {
		res, err := s.listTools(ctx, cursor)
		if err != nil {
			return 0, err
		}
		n += len(res.Tools)
		if n > r.host.maxTools {
			return 0, errTools
		}
		if res.NextCursor == "" || res.NextCursor == cursor {
			return n, nil
		}
		cursor = res.NextCursor
	}
	return 0, errTools
}

// listTools asks for one page, past the SDK's own ListTools: that takes every
// tool's schema apart, a third of what a launch would allocate, and leaves out
// tools that the server has listed.
func (s *session) listTools(ctx context.Context, cursor string) (*mcp.ListToolsResult, error) {
	res, err := s.ask(ctx, methodListTools, &mcp.ClientRequest[*mcp.ListToolsParams]{
		Session: s.client, Params: &mcp.ListToolsParams{Meta: s.meta(), Cursor: cursor},
	})
	if err != nil {
		return nil, err
	}
	list, ok := res.(*mcp.ListToolsResult)
	if !ok {
		return nil, fmt.Errorf("%s was answered with a %T", methodListTools, res)
	}
	return list, nil
}
