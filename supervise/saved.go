package supervise

// saved is what outlives the engine (O5): the hold and the open episode of one
// server, in the engine's own time.
type saved struct {
	hold    hold
	episode episode
}
