package postgres_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// wire counts what connections send to a server, and may make it far away.
type wire struct {
	url        string
	trips      atomic.Int64 // requests that a client waits for: synchronisations and simple queries
	statements atomic.Int64
}

// listen passes connections on to the server of a URL and counts. A request and its
// answer take so much longer.
func listen(t testing.TB, serverURL string, far time.Duration) *wire {
	t.Helper()
	config, err := pgx.ParseConfig(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", fmt.Sprintf("%s:%d", config.Host, config.Port)
	if filepath.IsAbs(config.Host) {
		network, address = "unix", filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{url: fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable", config.User, config.Password, listener.Addr(), config.Database)}
	var copies sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		copies.Wait()
	})
	copies.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			copies.Go(func() { _, _ = io.Copy(client, late(server, far/2)); _ = client.Close() })
			copies.Go(func() { w.pass(server, late(client, far/2)); _ = server.Close() })
		}
	})
	return w
}

// pass copies messages of a client: the first has no type, each other one has a
// type and a length.
func (w *wire) pass(server io.Writer, client io.Reader) {
	header := make([]byte, 5)
	for head := header[:4]; ; head = header {
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		if _, err := server.Write(head); err != nil {
			return
		}
		rest := int64(binary.BigEndian.Uint32(head[len(head)-4:])) - 4
		if _, err := io.CopyN(server, client, rest); err != nil {
			return
		}
		if len(head) < 5 {
			continue
		}
		switch head[0] {
		case 'S':
			w.trips.Add(1)
		case 'Q':
			w.trips.Add(1)
			w.statements.Add(1)
		case 'E':
			w.statements.Add(1)
		}
	}
}

// late reads what another reader has read before: so long ago.
func late(from io.Reader, by time.Duration) io.Reader {
	if by == 0 {
		return from
	}
	type parcel struct {
		due  time.Time
		data []byte
	}
	underWay := make(chan parcel, 1000)
	go func() {
		defer close(underWay)
		for {
			data := make([]byte, 16<<10)
			n, err := from.Read(data)
			underWay <- parcel{time.Now().Add(by), data[:n]}
			if err != nil {
				return
			}
		}
	}()
	out, in := io.Pipe()
	go func() {
		for p := range underWay {
			<-time.After(time.Until(p.due))
			_, _ = in.Write(p.data)
		}
		_ = in.Close()
	}()
	return out
}
