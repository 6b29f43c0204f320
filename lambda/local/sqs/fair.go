package sqs

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// A standard queue is fair: a message group is a tenant, and the backlog of
// one tenant does not make the messages of another one wait. A group neither
// orders messages nor blocks any; a message without one is a tenant of its own.
//
// A group is noisy while it has at least noisyMessages in flight, and more
// than one in noisyShare of all that are. Messages of the other groups are
// returned first, then those of noisy groups, the one with the least in flight
// before the others; within both the line decides. This is the concurrency
// share of the developer guide, "How Amazon SQS fair queues work", with its
// figures, which are approximate there and exact here. Amazon SQS also measures
// the share of processing time, which has no meaning on a clock that jumps.
const (
	noisyMessages = 30
	noisyShare    = 10
)

// inTurn yields the messages in the order in which they are handed out.
func (q *queue) inTurn(at time.Time) iter.Seq[*message] {
	noisy := q.noisy(at)
	return func(yield func(*message) bool) {
		for _, m := range q.line {
			if !slices.Contains(noisy, m.group) && !yield(m) {
				return
			}
		}
		for _, group := range noisy {
			for _, m := range q.line {
				if m.group == group && !yield(m) {
					return
				}
			}
		}
	}
}

// noisy are the noisy groups, the one with the least in flight first.
func (q *queue) noisy(at time.Time) (groups []string) {
	inFlight, all := map[string]int{}, 0
	for m := range q.out {
		if !m.hidden(at) {
			delete(q.out, m) // until it is handed out again
			continue
		}
		all++
		inFlight[m.group]++
	}
	for group, n := range inFlight {
		if group != "" && n >= noisyMessages && n*noisyShare > all {
			groups = append(groups, group)
		}
	}
	slices.SortFunc(groups, func(a, b string) int {
		return cmp.Or(cmp.Compare(inFlight[a], inFlight[b]), cmp.Compare(a, b))
	})
	return groups
}
