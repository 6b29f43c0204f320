package acceptance_test

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/manifest/variable"
)

// The receiver of INTEGRATE.md, as it stands there, has the matches that the view
// shows, also after another program has deleted one, and after an event that comes late,
// although requests and answers get lost on their way.
func TestPythonReceiver(t *testing.T) {
	t.Parallel()
	testenv.Program(t, "python3", "apt-get install python3")
	port, matches := receiverOfPage(t)
	front := unreliable(t, port)
	l := newLineAt(t, time.Time{}, 2, func(c *local.FunctionConfig) {
		c.Env = append(c.Env, variable.EventsWebhookURL+"="+front+"/SECRET-PATH", variable.EventsWebhookSecret+"="+hookSecret)
	})
	l.exec("INSERT INTO tenant (id, name) VALUES ($1, 'Testers')", testTenant)
	for n := range 4 {
		number := strconv.Itoa(4500000 + n)
		for _, d := range [][2]string{{"purchase-order", `{"number":"` + number + `","supplier":{"vat_id":"DE136695976"}}`},
			{"invoice", `{"number":"RE-` + number + `","supplier":{"vat_id":"DE136695976"},"references":[{"type":"purchase-order","number":"` + number + `"}]}`}} {
			l.exec(`INSERT INTO document (id, tenant_id, type, structured_data, matching_status)
				VALUES (gen_random_uuid(), $1, $2::text::document_type, $3, 'pending')`, testTenant, d[0], d[1])
		}
	}
	must.OK(t, l.Advance(t.Context(), time.Minute+time.Second))
	must.Get(l.Sweep(t.Context()))(t)
	waitFor(t, "the documents succeed", func() bool {
		return query[int](l, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'") == 8
	})
	l.receives(t, matches, 4)
	const remove = "DELETE FROM document_match WHERE document_a_id = (SELECT min(document_a_id::text)::uuid FROM document_match)"
	l.exec(remove)
	l.receives(t, matches, 3)
	// As if it had been given up, an event comes after later ones of its documents.
	l.exec("UPDATE event SET id = gen_random_uuid(), delivered_at = NULL WHERE kind = 'match.created'")
	l.receives(t, matches, 3)
	l.exec(remove)
	l.receives(t, matches, 2)
	if strings.Contains(l.text.String(), "SECRET") || strings.Contains(l.text.String(), hookSecret) {
		t.Error("the log shows a secret")
	}
}

// receives sweeps until all events are accepted, and checks what the receiver has.
func (l *line) receives(t *testing.T, matches *atomic.Value, n int) {
	t.Helper()
	waitFor(t, "the events arrive", func() bool {
		must.OK(t, l.Advance(t.Context(), time.Hour))
		l.sweepFunction()
		return query[int](l, "SELECT count(*) FROM event WHERE delivered_at IS NULL") == 0
	})
	l.holds(matches, n)
}

// holds checks that the receiver has the n matches of the view.
func (l *line) holds(matches *atomic.Value, n int) {
	t := l.t
	t.Helper()
	want := query[string](l, `SELECT coalesce(jsonb_agg(to_jsonb(m) - 'tenant_id' - 'updated_at'
		ORDER BY document_a_id, document_b_id), '[]')::text FROM matchbook_match AS m`)
	var got string
	defer func() {
		if t.Failed() {
			t.Logf("got\n%s\nwant\n%s", got, want)
		}
	}()
	waitFor(t, "the receiver prints the matches of the view", func() bool { // after its answer
		got = query[string](l, `SELECT coalesce(jsonb_agg(m ORDER BY m ->> 'document_a_id', m ->> 'document_b_id'), '[]')::text
			FROM jsonb_array_elements($1::jsonb) AS m`, matches.Load())
		return got == want
	})
	var list []any
	if err := json.Unmarshal([]byte(got), &list); err != nil || len(list) != n {
		t.Errorf("%d matches, want %d, %v", len(list), n, err)
	}
}

// freePort is one that the kernel gives to no listener by itself, which are the ports
// from 32768 on: a program may take a while until it listens on it.
func freePort(t *testing.T) (port string) {
	t.Helper()
	for range 100 {
		port = strconv.Itoa(20_000 + rand.IntN(12_000))
		if listener, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = listener.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// receiverOfPage runs the second program of the page, and keeps what it prints last.
func receiverOfPage(t *testing.T) (port string, printed *atomic.Value) {
	t.Helper()
	port = freePort(t)
	cmd := exec.CommandContext(t.Context(), "python3", "-c", pageExampleAfter(t, "## Events", "python"), port)
	cmd.Env = append(os.Environ(), variable.EventsWebhookSecret+"="+hookSecret)
	cmd.Stderr = testLog{t}
	out := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	printed = &atomic.Value{}
	printed.Store("[]")
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 64<<20) // all matches are one line
		for lines.Scan() {
			printed.Store(lines.Text())
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	return port, printed
}

// unreliable passes requests on, but loses each fourth request, and each fourth answer.
func unreliable(t *testing.T, port string) string {
	t.Helper()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "127.0.0.1:" + port})
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch asked.Add(1) % 4 {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}
