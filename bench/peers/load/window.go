package main

import "sync"

// What a server lets come before it says anything (RFC 9113, 6.9.2).
const initialWindow = 65535

// sendWindow is how much the server will take, of the connection and of its one stream.
type sendWindow struct {
	lock       sync.Mutex
	opened     *sync.Cond
	connection int
	stream     int
	initial    int
	closed     error
}

func newSendWindow() sendWindow {
	return sendWindow{connection: initialWindow, stream: initialWindow, initial: initialWindow}
}

// take waits until something may be sent, and takes at most wanted of it.
func (w *sendWindow) take(wanted int) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	for w.closed == nil && min(w.connection, w.stream) <= 0 {
		w.condition().Wait()
	}
	if w.closed != nil {
		return 0, w.closed
	}
	taken := min(wanted, w.connection, w.stream)
	w.connection -= taken
	w.stream -= taken
	return taken, nil
}

func (w *sendWindow) add(stream uint32, more int) {
	w.change(func() {
		if stream == 0 {
			w.connection += more
		} else {
			w.stream += more
		}
	})
}

func (w *sendWindow) setInitial(size int) {
	w.change(func() {
		w.stream += size - w.initial
		w.initial = size
	})
}

func (w *sendWindow) close(err error) {
	w.change(func() { w.closed = err })
}

func (w *sendWindow) change(how func()) {
	w.lock.Lock()
	defer w.lock.Unlock()
	how()
	w.condition().Broadcast()
}

func (w *sendWindow) condition() *sync.Cond {
	if w.opened == nil {
		w.opened = sync.NewCond(&w.lock)
	}
	return w.opened
}
