// Package tty runs a program on a pseudo terminal and looks at it as a person
// would: for tests of the screen and of what is left of it (D10). No program is
// built with it.
//
//	a test ──Types──▶ pseudo terminal ──▶ the process, which leads its session
//	                   │      ▲
//	                   ▼      └── what a terminal answers to questions
//	                Raw ──▶ emulator ──▶ Until, Shows, Text, Misdeeds
//	                   └──▶ Exit, AsItWas, Restored: how it ended, what is left on
//
// Invariants: each wait is for a condition, up to Patience, and whatever comes
// is looked at as it comes; nothing is slept for. The pseudo terminal outlives the
// process, so that its settings and the last of what was written can be read.
// Nothing outlives the test.
package tty
