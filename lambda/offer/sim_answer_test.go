package offer_test

import (
	"time"

	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"

	"github.com/google/uuid"
)

// simAnswers are when two users answered about each other.
type simAnswers struct{ blocked, other time.Time }

func pairOf(a, b uuid.UUID) [2]uuid.UUID {
	if compareIDs(a, b) > 0 {
		a, b = b, a
	}
	return [2]uuid.UUID{a, b}
}

func (s *simulation) answer(user, candidate uuid.UUID, answer roster.Answer) {
	s.counts[string(answer)]++
	s.store.Answer(offer.Feedback{User: user, Candidate: candidate, Answer: answer, At: s.now})
	pair := pairOf(user, candidate)
	known := s.answers[pair]
	switch {
	case answer != roster.Blocked && answer != roster.Reported:
		known.other = s.now
	case known.blocked.IsZero():
		known.blocked = s.now
	}
	s.answers[pair] = known
}

// checkAnswers examines an offer by a roster that knows answers: no pair comes after a block, or
// within 90 days of another answer.
func (s *simulation) checkAnswers(frozen roster.Frozen, user, candidate uuid.UUID) {
	at, known := s.frozen[frozen.Date], s.answers[pairOf(user, candidate)]
	if frozen.Algorithm < 4 {
		return
	}
	if !known.blocked.IsZero() && known.blocked.Before(at) {
		s.broken("%s is offered %s on %s, though blocked at %s", user, candidate, frozen.Date, known.blocked)
	}
	if !known.other.IsZero() && known.other.Before(at) && frozen.Date < day.Of(known.other)+90 {
		s.broken("%s is offered %s on %s, within the rest since %s", user, candidate, frozen.Date, known.other)
	}
}
