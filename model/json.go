package model

import (
	"strconv"
	"time"
)

// StampLayout is RFC 3339 with milliseconds (A4, X3).
const StampLayout = "2006-01-02T15:04:05.000Z07:00"

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

func parseInt(b []byte) (int64, error) { return strconv.ParseInt(string(b), 10, 64) }

// Stamp is t in UTC with milliseconds, as A4 and X3 write it.
func Stamp(t time.Time) string { return t.UTC().Format(StampLayout) }
