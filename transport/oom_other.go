//go:build !linux

package transport

const kernelLog = ""

// outOfMemory: no kernel but Linux's is asked.
func (*Host) outOfMemory(*process) bool { return false }
