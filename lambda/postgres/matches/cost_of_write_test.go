package matches_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// rowsBut lists the pairs, matches and suggestions of other documents: where each
// row is, and which transactions wrote and locked it.
func (f *fixture) rowsBut(id uuid.UUID) string {
	f.T.Helper()
	var lines []string
	for _, table := range []string{"match_pair", "document_match", "match_suggestion"} {
		list := postgrestest.Values[string](f.T, f.Conn, "SELECT concat_ws(' ', '"+table+"', document_a_id, document_b_id, ctid, xmin, xmax) FROM "+table+
			" WHERE document_a_id <> $1 AND document_b_id <> $1 ORDER BY document_a_id, document_b_id", id)
		lines = append(lines, list...)
	}
	return strings.Join(lines, "\n")
}

// A document changes the rows of others only where it makes a difference: among
// many that are alike it makes none. Rows that stay are not even locked.
func TestUnchangedRowsStay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	docs := alike(8)
	for _, d := range docs {
		f.Put(d.ID, tenant, d.Type, string(d.Data))
	}
	last := docs[len(docs)-1].ID
	for _, d := range docs[:len(docs)-1] {
		f.match(d.ID)
	}
	before := f.rowsBut(last)
	for range 2 {
		f.match(last)
		if after := f.rowsBut(last); after != before {
			t.Fatalf("rows of others changed: %s", firstDifference(before, after))
		}
	}
	postgrestest.Equal(t, "suggestions, one for each order and each other invoice", strings.Count(before, "match_suggestion"), 8*7)
	all := f.rowsBut(uuid.Nil)
	if f.match(last); f.rowsBut(uuid.Nil) != all {
		t.Errorf("its own rows were touched when it was matched again: %s", firstDifference(all, f.rowsBut(uuid.Nil)))
	}
}

// A document that finds its match takes 6 round trips to the database after its
// claim, 4 of them with the tenant's lock: one takes the lock and reads, one reads what
// the decision needs, one writes, and one writes the rest and commits.
func TestMatchRoundTrips(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	w := listen(t, url, 0)
	f := with(&postgrestest.Fixture{DB: postgrestest.Open(t, w.url), Conn: postgrestest.Conn(t, url), T: t})
	f.Exec("INSERT INTO tenant VALUES ($1, 'Testers')", tenant)
	m := &match.Matcher{Store: f.Store, Log: slog.New(slog.DiscardHandler)}
	var trips int64
	for n, number := range []string{"4500000101", "4500000102"} { // the first one prepares the statements
		data := `{"number":"` + number + `","date":"202` + strconv.Itoa(n) + `-01-05","supplier":{"vat_id":"DE136695976"},"line_items":[{"sku":"L-` + number + `","quantity":"3","unit_price":"10"}]`
		f.Put(num(2*n+1), tenant, document.PurchaseOrder, data+`}`)
		f.Put(num(2*n+2), tenant, document.Invoice, strings.Replace(data, "4500", "RE-4500", 1)+`,"references":[{"type":"purchase-order","number":"`+number+`"}]}`)
		for _, id := range []uuid.UUID{num(2*n + 1), num(2*n + 2)} {
			claims := must.Get(f.Claim(t.Context(), []job.Delivery{{ID: id}}, time.Minute, false))(t)
			before := w.trips.Load()
			must.OK(t, job.Work(m.Match).One(t.Context(), claims[0].Attempt))
			trips = w.trips.Load() - before
		}
	}
	postgrestest.Equal(t, "matches", f.edges("document_match"), "1-2 rules, 3-4 rules")
	if trips > 6 {
		t.Errorf("%d round trips, want at most 6", trips)
	}
	t.Logf("%d round trips", trips)
}

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
