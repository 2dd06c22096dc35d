package bus

import _ "unsafe" // for go:linkname

// procStatFile is the server's, not ours. Whatever program links the server
// reads this file once a second for as long as it runs, a server or none, to know
// its CPU for monitoring pages; here nobody has such pages, and of three processes
// that idle it is a good part of all that they do. Where the file cannot be read
// the server stops looking.
//
// There is no option for that. Where a later version has no such variable nothing
// breaks: it looks then.
//
//go:linkname procStatFile github.com/nats-io/nats-server/v2/server/pse.procStatFile
var procStatFile string

// The server has looked once by now, and looks again after a second, long after
// this: but nothing tells the race detector so.
//
//go:norace
func init() { procStatFile = "" }
