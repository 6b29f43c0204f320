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

// Serve serves at addr until stop, which ends requests that wait and lets the
// others finish. Without a host it listens on 127.0.0.1 only.
func Serve(addr string, handler http.Handler) (url string, stop func() error, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", nil, fmt.Errorf("%.100q is not HOST:PORT, such as 127.0.0.1:9324", addr)
	}
	host = cmp.Or(host, "127.0.0.1")
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", net.JoinHostPort(host, port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return "", nil, fmt.Errorf("%s is taken: end the program that listens there, "+
			"or choose another port (0 takes a free one)", addr)
	}
	if err != nil {
		return "", nil, err
	}
	waiting, release := context.WithCancel(context.Background())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return waiting }}
	go server.Serve(listener) // ends with Shutdown
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

// reachable returns the address by which a client on this machine finds a
// server: a client cannot connect to "all addresses".
func reachable(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port)
	}
	return a.String()
}
