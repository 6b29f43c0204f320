package offer

import (
	"testing"
	"time"

	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// A set, and its message by hand.
const (
	testMessage = `{"job":"3f7c1a52-6b1e-5a0f-9c58-0a4f7c1d2e01","tenant":"00000000-0000-4000-8000-000000000001",` +
		`"date":"2026-03-29","timezone":"Europe/Berlin","user":"00000000-0000-4000-8000-0000000000a1",` +
		`"algorithm_version":1,"offered_at":"2026-03-29T07:00:00Z","expires_at":"2026-03-30T07:00:00Z","offers":[` +
		`{"id":"242560ca-273e-5810-831a-1189f4492689","candidate_id":"00000000-0000-4000-8000-0000000000b1","rank":1,"score":870},` +
		`{"id":"36c4b7b3-49e9-5bda-8b8e-21a64e2a7c4e","candidate_id":"00000000-0000-4000-8000-0000000000b2","rank":2,"score":640}]}`
	testTime = 1774767600 // 2026-03-29 07:00:00 UTC, nine in Berlin after its clocks went forward
)

func testSet() Set {
	id := uuid.MustParse
	date, _ := day.Parse("2026-03-29")
	berlin := time.FixedZone("CEST", 2*60*60) // a store may return any zone
	return Set{
		Job: Job{ID: id("3f7c1a52-6b1e-5a0f-9c58-0a4f7c1d2e01"), Tenant: id("00000000-0000-4000-8000-000000000001"),
			User: id("00000000-0000-4000-8000-0000000000a1"), Date: date, Zone: "Europe/Berlin", Algorithm: 1,
			OfferedAt: time.Unix(testTime, 0).In(berlin), ExpiresAt: time.Unix(testTime+24*60*60, 0).In(berlin)},
		Offers: []ranking.Offer{
			{Candidate: id("00000000-0000-4000-8000-0000000000b1"), Rank: 1, Score: 870,
				Terms: []ranking.Points{{Term: "distance", Points: 870}}},
			{Candidate: id("00000000-0000-4000-8000-0000000000b2"), Rank: 2, Score: 640},
		},
	}
}

func TestMessageOfSet(t *testing.T) {
	t.Parallel()
	if got := string(testSet().Message()); got != testMessage {
		t.Errorf("got %s\nwant %s", got, testMessage)
	}
}

// A set without offers is delivered: the receiver knows then that there are none.
func TestMessageOfEmptySet(t *testing.T) {
	t.Parallel()
	s := testSet()
	s.Offers = nil
	want := testMessage[:len(`{"job":"3f7c1a52-6b1e-5a0f-9c58-0a4f7c1d2e01","tenant":"00000000-0000-4000-8000-000000000001",`+
		`"date":"2026-03-29","timezone":"Europe/Berlin","user":"00000000-0000-4000-8000-0000000000a1",`+
		`"algorithm_version":1,"offered_at":"2026-03-29T07:00:00Z","expires_at":"2026-03-30T07:00:00Z",`)] + `"offers":[]}`
	if got := string(s.Message()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
