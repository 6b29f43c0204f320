package explain

import (
	"cmp"
	"fmt"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

const maxChunks = 50

type chunk struct {
	ID       uuid.UUID `json:"id"`
	Position int       `json:"position"` // from 1
	Whole    bool      `json:"whole,omitempty"`
	Stage    string    `json:"stage,omitempty"` // where it stopped
	Lapses   int       `json:"lapses,omitempty"`
	Paused   string    `json:"paused_until,omitempty"`
	progress
}

// chunks are the unfinished chunks of a review, or the requested one.
type chunks struct {
	Review uuid.UUID `json:"review_id"`
	Status string    `json:"review_status"`
	Chunks []chunk   `json:"chunks"`
	Tries  tries     `json:"tries,omitempty"` // of all chunks
}

// chunks explains the chunk with this id, or the unfinished chunks of the review with this
// id. It returns nil if it finds nothing.
func (d *Reader) chunks(arg string) (Report, error) {
	id, err := document.ParseID(arg)
	if err != nil {
		return nil, nil //nolint:nilerr // a number of a document
	}
	found, err := d.reports.Chunks(d.ctx, id, maxChunks)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	r := &chunks{Review: found[0].Review, Status: found[0].Of}
	for _, c := range found {
		r.Chunks = append(r.Chunks, newChunk(c))
	}
	return r, nil
}

func newChunk(c report.Chunk) chunk {
	p := chunk{ID: c.ID, Position: c.Position, Whole: c.Whole, Stage: term.Clean(c.Stage, term.MaxText), Lapses: c.Lapses,
		progress: newProgress(c.Status, c.Attempts, c.Error, c.Times)}
	if c.Paused != nil && (c.Status == "pending" || c.Status == "in-progress") {
		p.Paused, _ = p.at(*c.Paused)
	}
	return p
}

// Text returns the report for people. It separates the two reasons of a slow chunk: the
// model's rate limit, and workers that ended without a result.
func (r *chunks) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "review %s, %s\n", r.Review, r.Status)
	for _, c := range r.Chunks {
		name := fmt.Sprintf("chunk %d", c.Position)
		if c.Whole {
			name = "the contract as a whole"
		}
		fmt.Fprintf(&b, "\n%s, %s\n", name, c.ID)
		rows(&b, [][2]string{{"status", cmp.Or(c.Status, "not published") + ", " + attempts(c.Attempts)}, {"stage", c.Stage},
			{"error", c.Error}, {"lapsed", c.lapsed()}, {"paused", c.paused()}, {"waits", c.Waits()},
			{"do", strings.Join(c.do("matchbook review retry "+r.Review.String()), " ")}})
	}
	b.WriteString(r.Tries.text())
	return b.String()
}

func (c chunk) lapsed() string {
	switch last := c.Attempts - 1; {
	case c.Lapses == 0:
		return ""
	case c.Status == "in-progress":
		return fmt.Sprintf("attempt %d: the worker of attempt %d ended without a result", c.Attempts, last)
	}
	return fmt.Sprintf("the worker of attempt %d ended without a result", c.Attempts)
}

func (c chunk) paused() string {
	if c.Paused == "" {
		return ""
	}
	return "waits for the rate limit of the model until " + c.Paused
}
