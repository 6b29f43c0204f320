package review

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
)

// clauseOf returns a hash that findings of other reviews have, too, if they come from the same
// analyst, about the same topic, clause and playbook. So a person's rejection holds for all of
// them. A conclusion about the contract as a whole must have the same title, because it depends on
// more than the clause; without a quote, it must be about the same document.
func clauseOf(t record.Task, f record.Finding) string {
	parts := []string{f.Analyst, string(f.Category), t.Job.Playbook}
	sentence := func(words string, start, end int) (quoted bool) {
		start, end = start-t.Chunk.Start, end-t.Chunk.Start
		if quoted = words != "" && start >= 0 && start < end && end <= len(t.Text); quoted {
			parts = append(parts, quote.Clause(t.Text, start, end))
		}
		return quoted
	}
	quoted := sentence(f.Quote, f.Start, f.End)
	if !quoted {
		parts = append(parts, t.Job.DocumentID.String())
	}
	sentence(f.Second, f.SecondStart, f.SecondEnd)
	if !quoted || t.Chunk.Kind == record.Whole {
		parts = append(parts, f.Title)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}
