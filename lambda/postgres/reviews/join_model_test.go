package reviews_test

import (
	"fmt"
	"slices"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"
)

// joined is a model of a review: what the join of its chunks promises, in as few
// words as possible. An update is a statement: its rows change first, and then the
// review follows.
type joined struct {
	status     record.Status
	open, gaps int
	ends       int    // how often it ended
	runs       int    // how often it began
	chunks     []part // the contract as a whole last
}

// part is a chunk.
type part struct {
	status          job.Status
	attempt, lapses int
	ready           bool
	late            bool // its lease, or the time for its message, is over long ago
	stamp           int  // number of its latest publication; 0: none
	givenUp         int  // the attempt after which the sweep gave up; 0: none
}

func newJoined(chunks int) *joined {
	j := &joined{status: record.Running, open: chunks, runs: 1}
	for range chunks {
		j.chunks = append(j.chunks, part{status: job.StatusPending, ready: true, stamp: 1})
	}
	if j.chunks = append(j.chunks, part{}); chunks == 0 {
		j.status, j.ends = record.Failed, 1
	}
	return j
}

func (p part) over() bool {
	return p.status == job.StatusSucceeded || p.status == job.StatusFailed || p.status == job.StatusCancelled
}

// gap reports whether chunk i lacks a result.
func (j *joined) gap(i int, p part) bool {
	return p.status == job.StatusFailed || p.status == job.StatusCancelled && i < j.last()
}

func (j *joined) last() int { return len(j.chunks) - 1 }

// to moves chunk i, unless the review is cancelled. It reports whether the chunk
// keeps its end.
func (j *joined) to(i int, status job.Status) (kept bool) {
	p := &j.chunks[i]
	cancelled := j.status == record.Cancelling || j.status == record.Cancelled
	if cancelled && (status == job.StatusPending || status == job.StatusInProgress && p.status == job.StatusFailed) {
		if p.over() {
			return true
		}
		status, p.lapses = job.StatusCancelled, 0
	} else if status == job.StatusPending && !p.ready {
		status = job.StatusNone
	}
	p.status, p.late = status, false
	return false
}

// update runs a statement.
func (j *joined) update(change func()) {
	before := slices.Clone(j.chunks)
	change()
	changed, again, textAgain, wholeOver := false, false, false, false
	for i, p := range j.chunks {
		was, is := before[i].over(), p.over()
		if j.gap(i, before[i]) != j.gap(i, p) {
			j.gaps, changed = j.gaps+number(j.gap(i, p))-number(j.gap(i, before[i])), true
		}
		if was == is {
			continue
		}
		changed, again = true, again || was && p.status != job.StatusNone
		if i < j.last() {
			j.open += number(was) - number(is)
			textAgain = textAgain || was
		}
		wholeOver = wholeOver || is && i == j.last()
	}
	if again && j.status.Over() {
		j.status, j.runs = record.Running, j.runs+1
	}
	switch {
	case textAgain:
		j.setWhole(job.StatusNone, false)
	case changed && !again && j.open == 0 && !j.status.Over():
		j.close(wholeOver)
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (j *joined) setWhole(status job.Status, ready bool) {
	i := j.last()
	j.gaps -= number(j.gap(i, j.chunks[i]))
	p := &j.chunks[i]
	p.status, p.ready, p.late = status, ready, false
	if !ready {
		p.lapses = 0
	}
	j.gaps += number(j.gap(i, *p))
}

// close publishes the contract as a whole, or ends the review.
func (j *joined) close(wholeOver bool) {
	read := slices.ContainsFunc(j.chunks[:j.last()], func(p part) bool { return p.status == job.StatusSucceeded })
	if !wholeOver && read && j.status != record.Cancelling {
		j.setWhole(job.StatusPending, true)
		return
	}
	switch {
	case j.status == record.Cancelling:
		if j.chunks[j.last()].status == job.StatusNone {
			j.chunks[j.last()].status = job.StatusCancelled
		}
		j.status = record.Cancelled
	case !read:
		j.status = record.Failed
	case j.gaps > 0:
		j.status = record.CompletedWithGaps
	default:
		j.status = record.Completed
	}
	j.ends++
}

// broken returns the first promise that does not hold.
func (j *joined) broken() string {
	open, gaps, moving := 0, 0, false
	for i, p := range j.chunks {
		open += number(i < j.last() && !p.over())
		gaps += number(j.gap(i, p))
		moving = moving || p.status == job.StatusPending || p.status == job.StatusInProgress
	}
	whole := j.chunks[j.last()]
	switch {
	case j.open != open || j.gaps != gaps:
		return fmt.Sprintf("it counts %d open and %d gaps, and there are %d and %d", j.open, j.gaps, open, gaps)
	case j.status.Over() && (open > 0 || moving):
		return "it ended before its chunks"
	case !j.status.Over() && !moving:
		return "it runs, and no chunk will end it"
	case open > 0 && (whole.ready || whole.status == job.StatusInProgress):
		return "the contract as a whole is read before its chunks"
	case j.status == record.Completed && (gaps > 0 || whole.status != job.StatusSucceeded):
		return "it is completed, and something was not read"
	case j.ends != j.runs-number(!j.status.Over()):
		return fmt.Sprintf("it began %d times and ended %d times", j.runs, j.ends)
	}
	return ""
}

// The statements of the store.

// claim returns what a delivery finds.
func (j *joined) claim(i, stamp int, redriven bool) (found string, attempt int) {
	p := &j.chunks[i]
	failed := p.status == job.StatusFailed
	givenUp := failed && p.givenUp == p.attempt && p.givenUp > 0
	switch {
	case stamp < p.stamp && !givenUp:
		return "superseded", p.attempt
	case p.status == job.StatusSucceeded, p.status == job.StatusCancelled, failed && !redriven && !givenUp:
		return "done", p.attempt
	case p.status == job.StatusInProgress && !p.late:
		return "held", p.attempt
	case !p.ready:
		j.update(func() {
			j.to(i, job.StatusNone)
			p.lapses = 0
		})
		return "unworkable", p.attempt
	}
	j.update(func() {
		p.attempt++
		lapses := p.lapses
		switch p.status {
		case job.StatusInProgress:
			lapses++
		case job.StatusPending:
		default:
			lapses = 0
		}
		if !j.to(i, job.StatusInProgress) {
			p.lapses = lapses
		}
	})
	return "claimed", p.attempt
}

// end is Store.End, or Jobs.Release: accepted is false for a lost fence.
func (j *joined) end(i, attempt int, status job.Status) (accepted bool) {
	p := &j.chunks[i]
	if p.status != job.StatusInProgress || p.attempt != attempt {
		return false
	}
	j.update(func() {
		p.lapses = 0
		j.to(i, status)
	})
	return true
}

// publish gives chunk i a new stamp.
func (j *joined) publish(i int) {
	p := &j.chunks[i]
	j.update(func() {
		p.stamp++
		if !j.to(i, job.StatusPending) {
			p.lapses = 0
		}
	})
}

// giveUp fails the chunks with three lapses in a row.
func (j *joined) giveUp() (crashed int) {
	j.update(func() {
		for i := range j.chunks {
			if p := &j.chunks[i]; p.status == job.StatusInProgress && p.late && p.lapses >= 2 {
				p.givenUp, p.lapses = p.attempt, 0
				j.to(i, job.StatusFailed)
				crashed++
			}
		}
	})
	return crashed
}

// republish returns the chunks that the sweep publishes again.
func (j *joined) republish() (again []int) {
	j.update(func() {
		for i := range j.chunks {
			p := &j.chunks[i]
			lapsed := p.status == job.StatusInProgress && p.late
			unsent := p.status == job.StatusPending && (p.late || p.stamp == 0 && p.attempt == 0)
			if !lapsed && !unsent {
				continue
			}
			again = append(again, i)
			p.stamp++
			p.lapses += number(lapsed)
			j.to(i, job.StatusPending)
		}
	})
	return again
}

func (j *joined) cancel() {
	if !j.status.Over() {
		j.status = record.Cancelling
	}
	if j.status != record.Cancelling {
		return
	}
	j.update(func() {
		for i := range j.chunks {
			if j.chunks[i].status == job.StatusPending {
				j.to(i, job.StatusCancelled)
				j.chunks[i].lapses = 0
			}
		}
	})
}

// retry returns the chunks that are published again, and false for a review that
// is stopping.
func (j *joined) retry() (again []int, ok bool) {
	for i, p := range j.chunks[:j.last()] {
		if j.gap(i, p) {
			again = append(again, i)
		}
	}
	switch {
	case j.status == record.Cancelling:
		return nil, false
	case j.last() == 0, len(again) == 0 && (!j.status.Over() || j.status == record.Completed):
		return nil, true
	case len(again) == 0:
		again = []int{j.last()}
	}
	if j.status.Over() {
		j.status, j.runs = record.Running, j.runs+1
	}
	j.update(func() {
		for _, i := range again {
			p := &j.chunks[i]
			p.stamp, p.ready, p.lapses = p.stamp+1, true, 0
			j.to(i, job.StatusPending)
		}
	})
	return again, true
}
