package acceptance_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/drill"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
)

// reached is a moment at which a process is held, until release.
type reached struct {
	n       int
	step    step
	pid     int
	release func()
}

// ingestDrill is an office whose ingest processes are held at chosen steps.
type ingestDrill struct {
	*office
	seed   uint64
	random *rand.Rand
	engine string // folder of the OCR
	model  *scripted.Server
	bought *purchases
	held   chan reached
	stop   chan struct{}
	papers map[int]*paper

	mu     sync.Mutex
	armed  map[int]step
	killed map[int]bool // processes
	frozen map[int]bool
}

const (
	drillLease   = 30 * time.Second // the least: a beat each 6 s
	drillWorkers = 4
)

func newIngestDrill(t *testing.T, seed uint64) *ingestDrill {
	t.Helper()
	d := &ingestDrill{seed: seed, random: rand.New(rand.NewPCG(seed, 14)), engine: t.TempDir(),
		held: make(chan reached), stop: make(chan struct{}), papers: map[int]*paper{},
		armed: map[int]step{}, killed: map[int]bool{}, frozen: map[int]bool{}}
	d.model = startModel(t, scripted.Options{Mind: d.mind})
	queues := httptest.NewServer(d)
	t.Cleanup(queues.Close)
	start := filepath.Join(t.TempDir(), "start")
	executable.Script(t, start, drill.StartScript)
	d.office = newOfficeWith(t, func(c *local.FunctionConfig) {
		c.Env = append(c.Env, asksModel(strings.TrimSuffix(d.model.URL(), "/v1"))...)
		c.Env = append(c.Env, "AWS_ENDPOINT_URL_SQS="+queues.URL, "DRILL_BOOTSTRAP="+c.Bootstrap, "OCR=tesseract",
			"PATH="+d.engine+":"+os.Getenv("PATH"), "LEASE="+drillLease.String())
		c.Bootstrap, c.Concurrency = start, drillWorkers
	})
	d.bought = newPurchases(t, d.url())
	t.Cleanup(func() { close(d.stop) })
	d.installGates()
	d.installOCR()
	return d
}

func (d *ingestDrill) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	must.OK(t, os.WriteFile(name, []byte(text), mode))
}

// reach reports that a process is held.
func (d *ingestDrill) reach(r reached) {
	select {
	case d.held <- r:
	case <-d.stop:
		r.release()
	}
}

// hold holds the caller at a step of a paper, if that is armed.
func (d *ingestDrill) hold(n int, at step, pid int) {
	if !d.isArmed(n, at) {
		return
	}
	free := make(chan struct{})
	d.reach(reached{n, at, pid, sync.OnceFunc(func() { close(free) })})
	<-free
}

func (d *ingestDrill) isArmed(n int, at step) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.armed[n] == at
}

// disarm lets the later attempts on a paper pass, and reports false when they
// do already.
func (d *ingestDrill) disarm(p *paper, at step) bool {
	d.t.Helper()
	if !d.isArmed(p.n, at) {
		return false
	}
	d.mu.Lock()
	delete(d.armed, p.n)
	d.mu.Unlock()
	d.exec("DELETE FROM armed WHERE n = $1", p.n)
	switch at {
	case reading:
		d.restore(p)
	case atOCR:
		must.OK(d.t, os.Remove(fmt.Sprintf("%s/hold-%d", d.engine, p.n)))
	}
	return true
}

// strike kills the process that was held at the step of a paper. Others that
// are held there go on.
func (d *ingestDrill) strike(r reached) {
	d.t.Helper()
	defer r.release()
	p := d.papers[r.n]
	if !d.disarm(p, r.step) {
		return
	}
	if p.beat {
		d.awaitBeat(p)
	}
	if d.random.IntN(3) == 0 {
		d.again(p.ID)
	}
	d.kill(r.pid)
	d.exec(abortSQL, gateLock, r.n)
}

func (d *ingestDrill) kill(pid int) {
	d.t.Helper()
	d.ingest.Function.Signal(pid, syscall.SIGKILL) // it may have died for another paper
	d.mu.Lock()
	d.killed[pid] = true
	d.mu.Unlock()
	waitFor(d.t, "the process has ended", func() bool { return !d.ingest.Function.Signal(pid, 0) })
}

// awaitBeat waits until a heartbeat hides the message of a paper once more.
func (d *ingestDrill) awaitBeat(p *paper) {
	d.t.Helper()
	hidden := func() int { return len(d.line.events(p.ID, sqs.VisibilityChanged)) }
	before := hidden()
	waitFor(d.t, "a heartbeat", func() bool { return hidden() > before })
}

// drain lets everything happen, and kills at each step that is reached. The clock
// goes on meanwhile: a process with the last delivery of a message waits for the lease
// that a dead one has left.
func (d *ingestDrill) drain() {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience(d.t))
	defer cancel()
	drained := make(chan error, 1)
	go func() { drained <- d.Drain(ctx, d.Unfinished) }()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case err := <-drained:
			must.OK(d.t, err)
			return
		case r := <-d.held:
			d.strike(r)
		case <-look.C:
			for _, r := range d.atGates() {
				d.strike(r)
			}
		case <-second.C:
			must.OK(d.t, d.Advance(ctx, time.Second))
		}
	}
}

// await waits until a process is held.
func (d *ingestDrill) await() (r reached) {
	d.t.Helper()
	waitFor(d.t, "a process is held", func() bool {
		select {
		case r = <-d.held:
			return true
		default:
		}
		held := d.atGates()
		if len(held) > 0 {
			r = held[0]
		}
		return len(held) > 0
	})
	return r
}

func (d *ingestDrill) signal(pid int, s syscall.Signal) {
	d.t.Helper()
	if !d.ingest.Function.Signal(pid, s) {
		d.t.Fatalf("process %d has gone", pid)
	}
}

// drainBeside lets everything happen but the work of frozen processes.
func (d *ingestDrill) drainBeside(frozen int) {
	d.t.Helper()
	idle := func() bool {
		stats := d.SQS.AllStats()
		match, ingest := stats[manifest.Match.Name], stats[manifest.Ingest.Name]
		return match.Visible+ingest.Visible == 0 && match.Polls == officeWorkers &&
			ingest.Polls == drillWorkers-frozen
	}
	for {
		waitFor(d.t, "everything else is idle", idle)
		jumped := must.Get(d.Jump(d.t.Context()))(d.t)
		if !jumped {
			return
		}
	}
}
