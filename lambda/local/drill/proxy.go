package drill

import (
	"context"
	"io"
	"net"
	"sync"
)

// proxy sits between the functions and the database. Use cut and dead to break it.
type proxy struct {
	listener net.Listener
	socket   string // of the server

	mu    sync.Mutex
	ends  map[net.Conn]bool
	alive chan struct{} // closed while bytes pass
}

func newProxy(ctx context.Context, socket string) (*proxy, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, socket: socket, ends: map[net.Conn]bool{}, alive: make(chan struct{})}
	close(p.alive)
	go p.serve()
	return p, nil
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.connect(client)
	}
}

func (p *proxy) connect(client net.Conn) {
	server, err := new(net.Dialer).DialContext(context.Background(), "unix", p.socket)
	if err != nil {
		_ = client.Close()
		return
	}
	p.mu.Lock()
	p.ends[client], p.ends[server] = true, true
	p.mu.Unlock()
	go p.pass(client, server)
	p.pass(server, client)
}

// pass copies bytes from one end to the other until one is closed.
func (p *proxy) pass(to, from net.Conn) {
	defer p.hangUp(to, from)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		alive := p.alive
		p.mu.Unlock()
		<-alive
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

func (p *proxy) hangUp(ends ...io.Closer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range ends {
		_ = end.Close()
		delete(p.ends, end.(net.Conn))
	}
}

// cut closes every connection, so pending responses are lost.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for end := range p.ends {
		_ = end.Close()
	}
}

// dead holds all bytes, without closing connections, until revive is called.
func (p *proxy) dead() (revive func()) {
	alive := make(chan struct{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alive = alive
	return func() { close(alive) }
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.cut()
}
