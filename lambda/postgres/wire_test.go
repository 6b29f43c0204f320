package postgres_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/internal/must"

	"github.com/jackc/pgx/v5"
)

// wire counts what connections send to a server, and may make it far away.
type wire struct {
	url        string
	trips      atomic.Int64 // requests that a client waits for: synchronisations and simple queries
	statements atomic.Int64
	bytes      atomic.Int64 // in both directions
	longest    atomic.Int64 // nanoseconds of the longest trip: no statement takes longer
}

// listen passes connections on to the server of a URL and counts. A request and its
// answer take so much longer.
func listen(t testing.TB, serverURL string, far time.Duration) *wire {
	t.Helper()
	config := must.Get(pgx.ParseConfig(serverURL))(t)
	network, address := "tcp", fmt.Sprintf("%s:%d", config.Host, config.Port)
	if filepath.IsAbs(config.Host) {
		network, address = "unix", filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port))
	}
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
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
			begun := &atomic.Int64{} // when the last trip began
			copies.Go(func() { w.passBack(client, late(server, far/2), begun); _ = client.Close() })
			copies.Go(func() { w.pass(server, late(client, far/2), begun); _ = server.Close() })
		}
	})
	return w
}

// pass copies a client's messages; the first lacks a type.
func (w *wire) pass(server io.Writer, client io.Reader, begun *atomic.Int64) {
	w.copyMessages(server, client, 4, func(typ byte) {
		switch typ {
		case 'S':
			w.trips.Add(1)
			begun.Store(time.Now().UnixNano())
		case 'Q':
			w.trips.Add(1)
			w.statements.Add(1)
			begun.Store(time.Now().UnixNano())
		case 'E':
			w.statements.Add(1)
		}
	})
}

// passBack copies messages of a server. With 'Z' it is ready for the next trip.
func (w *wire) passBack(client io.Writer, server io.Reader, begun *atomic.Int64) {
	w.copyMessages(client, server, 5, func(typ byte) {
		if at := begun.Load(); typ == 'Z' && at > 0 {
			w.longest.Store(max(w.longest.Load(), time.Now().UnixNano()-at))
		}
	})
}

// copyMessages copies messages: each has a type, in a byte, and a length, but for
// the first one if its head has four bytes only.
func (w *wire) copyMessages(to io.Writer, from io.Reader, first int, seen func(typ byte)) {
	in, out := bufio.NewReaderSize(from, 1<<16), bufio.NewWriterSize(to, 1<<16)
	header := make([]byte, 5)
	for head := header[5-first:]; ; head = header {
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		_, _ = out.Write(head)
		rest := int64(binary.BigEndian.Uint32(header[1:])) - 4
		if _, err := io.CopyN(out, in, rest); err != nil {
			return
		}
		w.bytes.Add(int64(len(head)) + rest)
		if len(head) == 5 {
			seen(header[0])
		}
		if in.Buffered() == 0 && out.Flush() != nil {
			return
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
