package supervise

import (
	"time"

	"rollcall/model"
)

// spread is the width of the jitter around 1: a wait is multiplied by a factor
// from 1−spread/2 to 1+spread/2, which is [0.75, 1.25) (B2).
const spread = 0.5

// backoff is the wait after attempt n failed: min(base × 2ⁿ, limit), times the
// jitter, at most model.MaxTimer (B2, B3, B4). Nothing overflows: base, which is
// above 0, is doubled only where the result stays within the limit.
func backoff(base, limit time.Duration, n int, jitter float64) time.Duration {
	wait := limit
	if base <= limit>>n {
		wait = base << n
	}
	return time.Duration(min(float64(wait)*jitter, float64(model.MaxTimer)))
}

// draw is a number in [0, 1) that looks random and is a function of its
// arguments alone (B6): seed stands for host and server.
func draw(seed, run uint64, attempt int) float64 {
	x := seed ^ run*0x9e3779b97f4a7c15 ^ uint64(attempt)*0xd1b54a32d192ed03
	// The finaliser of SplitMix64 spreads neighbouring inputs over all bits.
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	return float64(x>>11) / (1 << 53)
}

// seedOf is the seed of one server on one host: FNV-1a over both names.
func seedOf(host, server string) uint64 {
	h := uint64(14695981039346656037)
	for _, s := range [...]string{host, server} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211 // no name holds this byte: ab·c is not a·bc
	}
	return h
}
