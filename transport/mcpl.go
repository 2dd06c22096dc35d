package transport

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rollcall/model"
	"rollcall/redact"
)

const (
	mcplRevision = "2024-11-05" // M1
	mcplKey      = "mcpl"       // in capabilities.experimental
	policyMethod = "featureSets/update"
	notGranted   = -32002 // M2
)

// mcplCapabilities are all that is advertised to an MCPL server.
func mcplCapabilities() *mcp.ClientCapabilities {
	return &mcp.ClientCapabilities{Experimental: map[string]any{
		mcplKey: map[string]any{"version": "0.5", "featureSets": true},
	}}
}

// refusal is the answer to a request of a server: the capability that it would
// need and was not granted, or that the method is unknown (M2).
func refusal(method string) *jsonrpc.Error {
	capability := ""
	switch {
	case method == "push/event":
		capability = "pushEvents"
	case strings.HasPrefix(method, "channels/"):
		capability = "channels"
	case method == "inference/request":
		capability = "inferenceRequest"
	case method == "model/info":
		capability = "modelInfo"
	default:
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}
	}
	data, _ := json.Marshal(map[string]string{"capability": capability})
	return &jsonrpc.Error{Code: notGranted, Message: "capability not granted: " + capability, Data: data}
}

// policyParams grant nothing.
type policyParams struct {
	mcp.ParamsBase
	EffectiveCapabilities []string `json:"effectiveCapabilities"`
	Enabled               []string `json:"enabled"`
}

type policyResult struct {
	mcp.ResultBase
	Accepted *bool  `json:"accepted"`
	Fallback string `json:"fallback"`
}

// exchangePolicy tells an MCPL server that nothing is granted (M1). Without an
// answer the connection stays. Where the server refuses and asks for a close,
// the run is closed, and errPolicy returned.
func (r *Run) exchangePolicy(s *session) error {
	if r.spec.Protocol != model.MCPL || !s.mcpl {
		return nil
	}
	ctx, stop := context.WithTimeout(r.ctx, r.host.waits.settle)
	defer stop()
	res, err := mcp.CallCustomMethod[*policyParams, *policyResult](ctx, s.client, policyMethod,
		&policyParams{EffectiveCapabilities: []string{}, Enabled: []string{}})
	if err != nil {
		return err
	}
	if res.Accepted == nil || *res.Accepted || res.Fallback != "close" {
		return nil
	}
	r.close(time.Now(), model.End{Cause: model.PolicyRefused, Text: redact.Word("refused policy: the server keeps no connection to which nothing is granted")})
	return errPolicy
}

var errPolicy = errors.New("refused policy")
