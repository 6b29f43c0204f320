package importer

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/golden"

	"github.com/google/uuid"
)

// The text has everything that happened, twenty of each at most.
func TestReportText(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, n := range []int{0, 1, 20, 22} {
		in := &corpus.Input{Skipped: corpus.Skipped{".txt": n}, Documents: make([]corpus.Document, 4*n+7)}
		if n == 0 {
			in.Skipped = nil
		}
		for i := range n {
			at := corpus.Problem{File: "a\x07.jsonl", Line: i + 1, What: "invalid\tdate"}
			in.Remarks, in.Problems = append(in.Remarks, at), append(in.Problems, at)
		}
		r := newReport(in, n%2 == 0)
		for i := range n {
			r.empty = append(r.empty, uuid.UUID{byte(i)})
			r.Changed = append(r.Changed, Changed{File: "b.jsonl", Line: i + 1, ID: uuid.UUID{1}})
			r.noteNew(uuid.UUID{byte(i)})
			r.noteNew(uuid.UUID{byte(i)}) // once
		}
		r.Stored, r.Replaced, r.Same, r.Sent, r.Unsent, r.Interrupted = n, 2*n, 3, n, n/2, n == 20
		if r.Left = 1; n == 22 {
			r.Refused = errors.New("no queue")
		}
		r.finish(in, time.Duration(n)*1240*time.Millisecond)
		out.WriteString("==\n" + r.Text() + fmt.Sprintln(r.Succeeded(), r.Seconds, r.PerSecond, len(r.Problems), len(r.empty)))
	}
	for _, r := range []Report{{}, {Unsent: 1}, {Left: 1}, {Changed: []Changed{{}}}, {Problems: []corpus.Problem{{}}}, {Refused: errors.New("x")}, {Stored: 7, Same: 7}} {
		out.WriteString(fmt.Sprintln(r.Succeeded()))
	}
	golden.Compare(t, "report.txt", out.String())
}
