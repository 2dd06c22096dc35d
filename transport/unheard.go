package transport

import "sync"

// sentFirst is whether anything was sent to a process's stdin.
type sentFirst struct {
	mu   sync.Mutex // held while the first message is written: a pipe that is empty has room for it
	done bool
}

// write writes to the process's stdin. It is called from one goroutine.
func (p *process) write(data []byte) error {
	p.sent.mu.Lock()
	if p.sent.done {
		p.sent.mu.Unlock()
		_, err := p.stdin.Write(data)
		return err
	}
	defer p.sent.mu.Unlock()
	_, err := p.stdin.Write(data)
	p.sent.done = err == nil
	return err
}

// unheard reports, of a process that has exited, whether it did so before it
// was sent anything, or before it read that: then nothing of it made it exit.
func (p *process) unheard() bool {
	if p.stdin == nil {
		return false
	}
	p.sent.mu.Lock()
	defer p.sent.mu.Unlock()
	return !p.sent.done || unread(p.stdin)
}
