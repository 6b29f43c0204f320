package acceptance_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local/sqs"
)

// Each file is a distinct scan, read by an OCR and a model. Processes are killed
// at every step, some after a heartbeat; messages are sent twice, delivered
// twice, late and too early. Each file is completed once and published once; the
// OCR and the model are paid once, and again only for calls that died with their
// process.
func TestCrashAtEveryStep(t *testing.T) {
	t.Parallel()
	n := testenv.Size(24, 300)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := newIngestDrill(t, seed)
	papers := d.crashing(n)
	d.plan(papers)

	calm, beating, rest := papers[:n/6], papers[n/6:n/6+2], papers[n/6+2:]
	d.SQS.Order(seed, sqs.Fault{Kind: sqs.DuplicateDelivery, Rate: 0.5},
		sqs.Fault{Kind: sqs.LateDelivery, Rate: 0.3}, sqs.Fault{Kind: sqs.EarlyExpiry, Rate: 0.2})
	for _, p := range calm {
		d.publish(p)
	}
	d.drain()
	d.SQS.Order(seed)
	for _, p := range beating { // apart: a process held in transactions has no connection for a heartbeat
		d.publish(p)
	}
	d.drain()
	for i, p := range rest {
		d.publish(p)
		if i%5 == 0 {
			d.again(p.ID)
		}
	}
	d.drain()
	d.verdict()
}

// A process is frozen: while the OCR works, after it, and in both model calls.
// Its lease ends, and another process completes the document. When the zombie
// wakes it changes no row but to keep the answer that it has paid for, as
// unusable; it stores no file and publishes nothing.
func TestZombieIngestions(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "waits for leases")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := newIngestDrill(t, seed)
	var papers []*paper
	for i, at := range []step{atOCR, transcribed, asked, askedAgain} {
		p := newPaper(t, firstPaper+i)
		p.step, p.twice = at, at == askedAgain
		papers = append(papers, p)
	}
	d.plan(papers)
	for _, p := range papers {
		d.publish(p)
		r := d.await()
		check(t, "held at", r.step, p.step)
		d.disarm(p, r.step)
		d.signal(r.pid, syscall.SIGSTOP)
		d.frozen[r.pid] = true
		d.drainBeside(1)
		before := d.trace(p)
		r.release()
		d.signal(r.pid, syscall.SIGCONT)
		d.drainBeside(0)
		check(t, "after the zombie at "+string(p.step), d.trace(p), before)
		check(t, "attempts", query[int](d.line, "SELECT attempts FROM ingestion WHERE id = $1", p.ID), 2)
	}
	d.verdict()
}

// trace is everything that a zombie must leave alone: the rows of a paper, the
// messages about it, and the files.
func (d *ingestDrill) trace(p *paper) string {
	d.t.Helper()
	rows := query[string](d.line, `SELECT concat_ws(E'\n', i::text, d::text, (SELECT count(*) FROM notification),
		(SELECT string_agg(concat(id, question, replays), ' ' ORDER BY id) FROM model_answer WHERE unusable = ''))
		FROM ingestion AS i JOIN document AS d ON d.id = i.document_id WHERE i.id = $1`, p.ID)
	for _, path := range []string{"transcription.json", "transcription-not-taken.json"} {
		info, err := os.Stat(filepath.Join(d.files, "ingestions", p.ID.String(), path))
		if err == nil {
			rows += fmt.Sprintln(path, info.ModTime())
		}
	}
	return rows + fmt.Sprintln(d.publishes(p.DocumentID), "publishes")
}

// crashing makes n papers: a sixth without a crash, two that crash after a
// heartbeat, and the others with a crash at each step in turn.
func (d *ingestDrill) crashing(n int) (papers []*paper) {
	d.t.Helper()
	for i := range n {
		p := newPaper(d.t, firstPaper+i)
		switch i -= n / 6; {
		case i >= 2:
			p.step = steps[i%len(steps)]
		case i >= 0:
			p.step, p.beat = []step{atOCR, asked}[i], true
		}
		p.twice = p.step == askedAgain || d.random.IntN(5) == 0
		papers = append(papers, p)
	}
	rest := papers[n/6+2:]
	d.random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return papers
}

// verdict compares the database, the queue's journal and the servers' counts
// with the promise.
func (d *ingestDrill) verdict() {
	d.t.Helper()
	n := len(d.papers)
	for n, at := range d.armed { // killed for another paper, just before this step: the sweep sent its message
		pid := query[int](d.line, "SELECT pid FROM claimed WHERE id = $1 ORDER BY attempt DESC LIMIT 1", d.papers[n].ID)
		if at != completed && at != sent || !d.killed[pid] {
			d.t.Errorf("paper %d never reached its step: %s", n, at)
		}
	}
	check(d.t, "completed, past the gate", query[int](d.line, `SELECT count(*) FROM ingestion
		WHERE status = 'completed' AND valid_structured_data AND NOT needs_human_review`), n)
	check(d.t, "ends other than one completion each", query[int](d.line, `SELECT count(*) FROM (
		SELECT id FROM ingestion LEFT JOIN ended USING (id) GROUP BY id
		HAVING count(*) <> 1 OR min(ended.status) IS DISTINCT FROM 'completed') AS other`), 0)
	check(d.t, "documents that were not matched", query[int](d.line,
		"SELECT count(*) FROM document WHERE matching_status IS DISTINCT FROM 'succeeded'"), 0)
	check(d.t, "notifications", query[int](d.line, "SELECT count(*) FROM notification"), 0)
	for _, p := range d.papers {
		check(d.t, "publishes of "+p.number(), d.publishes(p.DocumentID), 1)
		check(d.t, "number of "+p.number(), query[string](d.line,
			"SELECT structured_data ->> 'number' FROM document WHERE id = $1", p.DocumentID), p.number())
	}
	d.paidOCR()
	d.paidModel()
}

// paidOCR: the OCR is called once for each file, and once more for each call
// that died with its process; never when a transcription is in storage.
func (d *ingestDrill) paidOCR() {
	d.t.Helper()
	text := must.Get(os.ReadFile(d.engine + "/calls"))(d.t)
	calls, died := map[int]int{}, map[int]int{}
	for line := range strings.Lines(string(text)) {
		var n, pid int
		must.Get(fmt.Sscan(line, &n, &pid))(d.t)
		calls[n]++
		if d.killed[pid] || d.frozen[pid] {
			died[n]++
		}
		if strings.HasSuffix(strings.TrimSpace(line), "again") {
			d.t.Errorf("the OCR read %d although its transcription was in storage", n)
		}
	}
	all, lost := 0, 0
	for n := range d.papers {
		all, lost = all+calls[n], lost+calls[n]-1
		if calls[n] < 1 || calls[n]-1 > died[n] {
			d.t.Errorf("the OCR read %d %d times, and %d calls died with their process", n, calls[n], died[n])
		}
	}
	d.t.Logf("OCR: %d calls for %d files, %d of them died with their process", all, len(d.papers), lost)
}

// paidModel: each question is bought once, and once more for each call that
// died with its process; never when a usable answer is stored.
func (d *ingestDrill) paidModel() {
	d.t.Helper()
	asked, died := map[string]int{}, map[string]int{}
	for _, q := range d.bought.asked {
		asked[q.User]++
		if pid := processOf(q.Path); d.killed[pid] || d.frozen[pid] {
			died[q.User]++
		}
	}
	check(d.t, "answers that are kept", d.bought.kept(), len(asked))
	check(d.t, "questions that were asked although their answer is stored", d.bought.again, 0)
	questions := 0
	for _, p := range d.papers {
		if questions++; p.twice {
			questions++
		}
	}
	check(d.t, "questions", len(asked), questions)
	check(d.t, "usable answers", query[int](d.line, "SELECT count(*) FROM model_answer WHERE unusable = ''"), questions)
	for text, times := range asked {
		if times-1 > died[text] {
			d.t.Errorf("a question about %d was asked %d times, and %d calls died with their process",
				numberIn(text), times, died[text])
		}
	}
	check(d.t, "calls that the model counted", len(d.model.Calls()), len(d.bought.asked))
	d.t.Logf("model: %d calls for %d questions, %d of them died with their process", len(d.bought.asked), questions,
		len(d.bought.asked)-questions)
}
