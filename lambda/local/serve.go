package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Serve serves handler at addr until stop is called. stop cancels waiting requests, gives the
// others five seconds, then closes their connections. Without a host, Serve listens on
// 127.0.0.1 only.
func Serve(addr string, handler http.Handler) (url string, stop func() error, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", nil, fmt.Errorf("invalid address %.100q: expected HOST:PORT, such as 127.0.0.1:9324", addr)
	}
	host = cmp.Or(host, "127.0.0.1")
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(host, port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return "", nil, fmt.Errorf("address %s already in use: stop the program listening there, "+
			"or choose another port (0 picks a free one)", addr)
	}
	if err != nil {
		return "", nil, err
	}
	waiting, release := context.WithCancel(context.Background())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return waiting }}
	go server.Serve(listener) // returns on Shutdown
	return "http://" + reachable(listener.Addr().(*net.TCPAddr)), func() error {
		release()
		grace, done := context.WithTimeout(context.Background(), 5*time.Second)
		defer done()
		if err := server.Shutdown(grace); err != nil {
			return errors.Join(err, server.Close())
		}
		return nil
	}, nil
}

// reachable returns an address for clients on this machine, because a client can't connect to
// the unspecified address.
func reachable(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port)
	}
	return a.String()
}
