//go:build !linux

package guardian

import "os"

// terminal is left alone here.
type terminal struct{}

// State is empty: terminals are left alone here.
func State(*os.File) string { return "" }

func openTerminal(*os.File, string) terminal { return terminal{} }
func (terminal) putBack()                    {}
func (terminal) leaveScreen()                {}
