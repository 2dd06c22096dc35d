package model

import "time"

// Usage is what the processes of one launch use: its group and what left it.
// It is sampled when it is asked for, and never else.
type Usage struct {
	At        time.Time     `json:"at"`
	Processes int           `json:"processes"`
	Resident  uint64        `json:"resident"` // bytes; pages that they share count for each
	CPU       time.Duration `json:"cpu_ns"`   // spent since they started; a share needs two samples
}

// Health is how the engine's loop is doing. It is measured when it is asked
// for: that the question was answered is the first part of the answer.
type Health struct {
	At      time.Time     `json:"at"`
	Mailbox int           `json:"mailbox"` // messages that wait for the loop
	Lag     time.Duration `json:"lag_ns"`  // from the question to the loop's answer
}
