package sqs

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// A standard queue is fair: a message group stands for a tenant, and one tenant's backlog does
// not delay the messages of another. Groups neither order nor block messages; a message
// without a group counts as its own tenant.
//
// A group is noisy while it has at least noisyMessages in flight, and more than 1/noisyShare
// of all messages in flight. Messages of quiet groups come first, then noisy groups, fewest in
// flight first; within both, the line's order holds. This is the concurrency share described
// in the developer guide, "How Amazon SQS fair queues work"; its figures are approximate there
// and exact here. Amazon SQS also measures the share of processing time, but it is meaningless
// on a jumping clock.
const (
	noisyMessages = 30
	noisyShare    = 10
)

// inTurn yields the messages in delivery order.
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

// noisy returns the noisy groups, fewest in flight first.
func (q *queue) noisy(at time.Time) (groups []string) {
	inFlight, all := map[string]int{}, 0
	for m := range q.out {
		if !m.hidden(at) {
			delete(q.out, m) // until the next receive
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
