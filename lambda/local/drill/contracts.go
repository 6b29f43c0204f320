package drill

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"matchbook/lambda/llm"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"

	"github.com/google/uuid"
)

// reviewing is the workload of the review function: contracts of several chunks, some of which are
// cancelled while others run.
func reviewing() *workload {
	return &workload{
		Function: manifest.Review, workers: 2, portion: 1, inTurn: 3,
		about:    "job_id",
		contents: []string{"start_offset", "end_offset"}, // a claim's results are in other tables
		effects:  []effect{{"review_finding", "chunk_id"}, {"review_checkpoint", "chunk_id"}},
		// The findings are left out: after a refused call its parts are asked one by one, which finds more.
		results: `
SELECT id, 'review', concat_ws(', ', status, chunks || ' chunks', gaps || ' gaps') FROM review_job`,
		found: "reviews",
		moves: [][2]string{
			{"", "pending"},   // opened by the card or the join
			{"succeeded", ""}, // the whole, when a chunk of the text is read again
			{"failed", ""},    // likewise
			{"", "cancelled"}, // with the review
			{"pending", "cancelled"}, {"in-progress", "cancelled"},
		},
		env:     func(*line) []string { return []string{variable.ModelPrice + "=" + "1,10"} },
		supply:  (*papers).agreements,
		publish: (*line).startReviews,
		checks: []check{{"join",
			"each time that a review's last chunk ends, the whole begins once; its counts are those of its rows (audit)",
			(*evidence).joined}},
	}
}

// agreement is a contract to be reviewed. Its id is the review's.
type agreement struct {
	tenant uuid.UUID
	number string
	cancel bool
}

// clauses are the sections of a contract; %s is its number.
var clauses = []string{
	"Term. This agreement %s begins on the date of its last signature and shall continue for three years. It shall renew for further " +
		"periods of twelve months unless either party gives notice of non-renewal at least ninety days before the end of the term.",
	"Payment. The Customer shall pay each invoice under agreement %s within thirty days of its date. Late payment bears interest of " +
		"eight percent a year, and the Supplier may suspend its services after a reminder.",
	"Liability. The total liability of the Supplier under agreement %s shall not exceed the fees paid in the twelve months before the " +
		"claim. Nothing limits liability for intent or gross negligence.",
	"Indemnity. The Customer shall indemnify and hold harmless the Supplier against all claims of third parties that arise from the " +
		"Customer's use of the services under agreement %s.",
	"Termination. Either party may terminate agreement %s for material breach if the breach is not cured within thirty days of a written " +
		"notice. On termination all rights granted end, and each party shall return the other's property.",
	"Confidentiality. Each party shall keep confidential all information of the other that it learns under agreement %s, and shall use " +
		"it for no other purpose. This obligation continues for five years after the end.",
	"Assignment. Neither party may assign agreement %s without the prior written consent of the other, except to an affiliate that " +
		"takes over its whole business.",
	"Governing law. Agreement %s is governed by the laws of Ireland. The courts of Dublin have exclusive jurisdiction over all disputes " +
		"that arise from it.",
}

// text is the contract: all clauses several times, so that it has several chunks.
func (a agreement) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "SERVICES AGREEMENT %s\n\nbetween Harbour Lane Foods Ltd (\"the Customer\") and "+
		"Tidewater Systems Ltd (\"the Supplier\").\n", a.number)
	for n := range 10 * len(clauses) {
		fmt.Fprintf(&b, "\n%d. %s\n", n+1, fmt.Sprintf(clauses[n%len(clauses)], a.number))
	}
	return b.String()
}

// agreements creates a contract for every twentieth document; every second one is cancelled.
func (p *papers) agreements(documents int) (things []thing) {
	for i := range max(documents/20, 1) {
		a := agreement{p.tenant(), fmt.Sprintf("K%05d", i), i%2 == 1}
		id := p.id()
		p.agreed[id], p.numbers[a.number] = a, id
		things = append(things, thing{id, true})
	}
	return things
}

// startReviews starts reviews, and cancels some reviews of its last call.
func (l *line) startReviews(ctx context.Context, ids []uuid.UUID) error {
	for _, id := range l.reviewed {
		if l.papers.agreed[id].cancel {
			if _, err := reviews.New(l.DB).Cancel(ctx, id); err != nil {
				return err
			}
		}
	}
	s := review.Starter{Store: reviews.New(l.DB), Sender: l.lane(manifest.Review.Name).Queue, Model: manifest.DefaultModel,
		Price: llm.Price{Prompt: 1, Completion: 10}, Log: slog.New(slog.DiscardHandler)}
	for _, id := range ids {
		a := l.papers.agreed[id]
		_, err := s.Start(ctx, review.Request{ID: id, TenantID: a.tenant, Name: a.number, Text: a.text()})
		if err != nil {
			return err
		}
	}
	l.reviewed = ids
	return nil
}

const reviewsSQL = `
SELECT j.id, j.status, j.chunks, j.chunks_open, j.gaps, j.findings, (j.cost_usd * 1000000)::bigint, (j.reserved_usd * 1000000)::bigint,
	(SELECT id FROM review_chunk WHERE job_id = j.id AND kind = 'whole'),
	(SELECT count(*) FROM review_chunk WHERE job_id = j.id AND kind = 'text'),
	(SELECT count(*) FROM review_chunk WHERE job_id = j.id AND (status = 'failed' OR status = 'cancelled' AND kind = 'text')),
	(SELECT count(*) FROM review_finding WHERE job_id = j.id), (SELECT coalesce(max(seq), 0) FROM review_finding WHERE job_id = j.id),
	(SELECT coalesce(sum(cost_usd) * 1000000, 0)::bigint FROM review_checkpoint WHERE job_id = j.id)
FROM review_job AS j`

// reviewRow has the counts in a review, and the counts of its rows.
type reviewRow struct {
	ID                           uuid.UUID
	Status                       string
	Chunks, Open, Gaps, Findings int
	Cost, Reserved               int64 // millionths of a dollar
	Whole                        uuid.UUID
	HasChunks, HasGaps           int
	HasFindings, LastFinding     int
	HasCost                      int64
}

// joined expects that a review is complete, because failed chunks were published again, or
// cancelled where that was asked for.
func (e *evidence) joined() {
	for _, r := range e.reviews {
		want := r
		want.Chunks, want.Open, want.Gaps, want.Findings, want.Cost, want.Reserved = r.HasChunks, 0, r.HasGaps, r.HasFindings, r.HasCost, 0
		want.LastFinding = r.HasFindings
		if r.Status != "cancelled" || !e.papers.agreed[r.ID].cancel {
			want.Status, want.HasGaps, want.Gaps = "completed", 0, 0
		}
		if r != want {
			e.broken(r.Whole, "the review is %+v, expected %+v", r, want)
		}
		e.replayJoin(r)
	}
}

// withdrawn reports whether a row is a chunk of a cancelled review. It stays failed when it is published
// again, because nobody waits for its answer.
func (e *evidence) withdrawn(d row) bool {
	return slices.ContainsFunc(e.reviews, func(r reviewRow) bool { return r.ID == e.about(d.ID) && r.Status == "cancelled" })
}

// replayJoin expects that the whole is opened once, by the end of the last chunk of the text, each
// time that all have ended.
func (e *evidence) replayJoin(r reviewRow) {
	over, joined := map[uuid.UUID]bool{}, false
	for _, c := range e.subjects[subject{manifest.Review.Name, r.ID}] {
		if c.ID != r.Whole {
			was := len(over) == r.HasChunks
			if delete(over, c.ID); c.Status == "succeeded" || c.Status == "failed" || c.Status == "cancelled" {
				over[c.ID] = true
			}
			joined = len(over) == r.HasChunks && (joined || !was)
			continue
		}
		switch opens := c.Was == "" && c.Status == "pending"; {
		case opens && !joined:
			e.broken(r.Whole, "the whole began with %d of %d chunks ended, or a second time", len(over), r.HasChunks)
		case opens:
			joined = false
		case c.claims() && len(over) < r.HasChunks:
			e.broken(r.Whole, "the whole was claimed with %d of %d chunks ended", len(over), r.HasChunks)
		}
	}
}
