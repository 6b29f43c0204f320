package acceptance_test

import (
	"math/rand/v2"
	"testing"
)

// Processes are killed at the steps that the OCR, the files and the database
// show: each file is completed once and published once.
func TestIngestionsWithCrashesAtEveryStepAreCompletedOnce(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	d := newIngestDrill(t, seed)
	var papers []*paper
	for i, at := range []step{reading, atOCR, transcribed, completing} {
		p := newPaper(t, firstPaper+i)
		p.step = at
		papers = append(papers, p)
	}
	d.plan(papers)
	for _, p := range papers {
		d.publish(p)
	}
	d.drain()
	check(t, "steps that were never reached", len(d.armed), 0)
	check(t, "completed", query[int](d.line, "SELECT count(*) FROM ended WHERE status = 'completed'"), len(papers))
	for _, p := range papers {
		check(t, "publishes of "+p.number(), d.publishes(p.DocumentID), 1)
	}
}
