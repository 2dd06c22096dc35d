package transport

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/redact"
)

// initialize asks for a revision and, where that is refused, for another one,
// once and on the same pipes: the newest that the refusal names, else, where it
// may be the revision that is refused, the oldest. Servers that know no other
// refuse one that they do not know, instead of naming theirs.
func (r *Run) initialize(ctx context.Context, next mcp.MethodHandler, req mcp.Request) (mcp.Result, error) {
	res, err := next(ctx, methodInitialize, req)
	params, ok := req.GetParams().(*mcp.InitializeParams)
	if err == nil || !ok {
		return res, err
	}
	asked, other := params.ProtocolVersion, offered(err)
	guessed := other == "" && r.spec.Revision == "" && mayBlameRevision(err)
	if guessed {
		other = revisions[0]
	}
	if other == "" || other == asked {
		return res, err
	}
	params.ProtocolVersion = other
	res, err = next(ctx, methodInitialize, req)
	if guessed && mayBlameRevision(err) {
		err = &twiceRefused{err, asked}
	}
	return res, err
}

// mayBlameRevision reports whether an error may be about the revision that was
// asked for, without a list of those that the server speaks.
func mayBlameRevision(err error) bool {
	e := rpcError(err)
	if e == nil || len(supported(e)) > 0 {
		return false
	}
	return e.Code == jsonrpc.CodeInvalidParams || e.Code == mcp.CodeUnsupportedProtocolVersion ||
		strings.Contains(strings.ToLower(e.Message), "version")
}

// twiceRefused is the refusal of the oldest revision, after that of another.
type twiceRefused struct {
	error
	first string // the revision that was asked for before
}

func (e *twiceRefused) Unwrap() error { return e.error }

// refusedTwice is the text of an error, with what to do where two revisions were
// refused.
func refusedTwice(err error, text redact.Safe) redact.Safe {
	var twice *twiceRefused
	if !errors.As(err, &twice) {
		return text
	}
	return redact.Sprintf("%s, for %s and %s alike: if it speaks one between, set protocol_version", text, redact.Name(twice.first), redact.Name(revisions[0]))
}

// supported are the revisions that an error's data lists, as MCP has it.
func supported(e *jsonrpc.Error) []string {
	var data struct {
		Supported []string `json:"supported"`
	}
	_ = json.Unmarshal(e.Data, &data)
	return data.Supported
}

// offered is the newest revision of an error's data.supported that initialize
// can ask for; empty where there is none.
func offered(err error) string {
	e := rpcError(err)
	if e == nil {
		return ""
	}
	best := ""
	for _, v := range supported(e) {
		if slices.Contains(revisions, v) && v != newest {
			best = max(best, v)
		}
	}
	return best
}
