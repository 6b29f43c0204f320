package report

import (
	"fmt"
	"slices"
	"testing"

	"matchbook/lambda/job"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// part is a part of a contract as it ended, with its questions.
type part struct {
	status job.Status
	asked  []record.Question
}

func done(s record.Stage, dropped int) record.Question {
	return record.Question{Stage: s, Outcome: record.Done, Dropped: dropped, Calls: 1}
}

func failed(s record.Stage, reason string) record.Question {
	return record.Question{Stage: s, Outcome: record.StageFailed, Reason: reason}
}

func contractOf(status record.Status, parts ...part) Review {
	r := Review{Job: record.Job{Status: status, Model: "gpt-test", Chunks: len(parts) - 1, Cost: 40_000}}
	for i, p := range parts {
		c := record.Chunk{ID: uuid.UUID{byte(i)}, Position: i, Kind: record.Text, Status: p.status}
		switch {
		case i == len(parts)-1:
			c.Kind = record.Whole
		case p.status == job.StatusFailed:
			c.Stage, c.Error = "renewal", "stage renewal: HTTP 503"
		}
		r.Chunks = append(r.Chunks, c)
		for _, q := range p.asked {
			q.ChunkID = c.ID
			r.Questions = append(r.Questions, q)
		}
	}
	return r
}

var read = part{job.StatusSucceeded, []record.Question{done(record.Categories, 0), done("renewal", 0)}}
var compared = part{job.StatusSucceeded, []record.Question{done(record.Contract, 0)}}

// The summaries and the gaps are what a person counts in the parts.
func TestCertificate(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		r       Review
		summary string
		gaps    []string
	}{
		"all read": {contractOf(record.Completed, read, read, compared), "5 of 5 questions answered, 0 quotes dropped", nil},
		"a dropped quote": {contractOf(record.Completed, part{job.StatusSucceeded,
			[]record.Question{done(record.Categories, 1), done("renewal", 2)}}, compared),
			"3 of 3 questions answered, 3 quotes dropped", nil},
		"two failed analysts": {contractOf(record.CompletedWithGaps, read, part{job.StatusFailed, []record.Question{
			done(record.Categories, 0), failed("renewal", "HTTP 503"), failed("payment", "refused")}}, compared),
			"4 of 6 questions answered, 0 quotes dropped", []string{"2 renewal HTTP 503", "2 payment refused"}},
		"categories failed": {contractOf(record.CompletedWithGaps, read,
			part{job.StatusFailed, []record.Question{failed(record.Categories, "HTTP 503")}}, compared),
			"3 of 4 questions answered, 0 quotes dropped", []string{"2 categories HTTP 503"}},
		"a dead worker": {contractOf(record.CompletedWithGaps, read,
			part{job.StatusFailed, []record.Question{done(record.Categories, 0)}}, compared),
			"4 of 5 questions answered, 0 quotes dropped", []string{"2 renewal stage renewal: HTTP 503"}},
		"failed as a whole": {contractOf(record.CompletedWithGaps, read,
			part{job.StatusFailed, []record.Question{failed(record.Contract, "out of time")}}),
			"2 of 3 questions answered, 0 quotes dropped", []string{"2 contract out of time"}},
		"nothing to compare": {contractOf(record.Completed, read, part{job.StatusSucceeded,
			[]record.Question{{Stage: record.Contract, Outcome: record.Done, Reason: "fewer than two"}}}),
			"2 of 2 questions answered, 0 quotes dropped", nil},
		"cancelled": {contractOf(record.Cancelled, read, part{job.StatusCancelled, nil}, part{job.StatusCancelled, nil}),
			"2 of 4 questions answered, 0 quotes dropped", []string{"2  ", "3  "}},
		"under way": {contractOf(record.Running, read, part{job.StatusPending, nil}, part{}),
			"2 of 4 questions answered, 0 quotes dropped", nil},
	} {
		if got := CertificateOf(tc.r).Summary; got != tc.summary+", USD 0.0400" {
			t.Errorf("%s: got %q, want %q", name, got, tc.summary)
		}
		var gaps []string
		for _, g := range Gaps(tc.r.Job, tc.r.Chunks, tc.r.Questions) {
			gaps = append(gaps, fmt.Sprint(g.Position+1, " ", g.Stage, " ", g.Error))
		}
		if !slices.Equal(gaps, tc.gaps) {
			t.Errorf("%s: got the gaps %q, want %q", name, gaps, tc.gaps)
		}
	}
}

// Each question about each part has one line, also if it wasn't asked.
func TestCertificateLines(t *testing.T) {
	t.Parallel()
	r := contractOf(record.CompletedWithGaps, read,
		part{job.StatusFailed, []record.Question{failed(record.Categories, "HTTP 503")}}, compared)
	counts := map[State]int{}
	for _, l := range CertificateOf(r).Questions {
		counts[l.State]++
	}
	want := map[State]int{Answered: 3, NotNeeded: 10, Unread: 1, NotAsked: 11}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", counts, want)
	}
}
