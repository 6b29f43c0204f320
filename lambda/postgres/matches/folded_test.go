package matches_test

import (
	"encoding/json"
	"testing"

	"matchbook/lambda/eval/train"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// putEdgesSQL stores matches and questions in one go; their documents need only a type.
const putEdgesSQL = `
WITH d AS (INSERT INTO document (id, tenant_id, type, matching_due_at) SELECT id, $1, type::document_type, NULL
	FROM unnest($2::uuid[], $3::text[]) AS d (id, type)), matched AS (
	INSERT INTO document_match (tenant_id, document_a_id, document_b_id, score, confidence, decided_by, reasoning, evidence)
	SELECT $1, a, b, 1, confidence, 'rules', '', '[]' FROM unnest($4::uuid[], $5::uuid[], $6::text[]) AS m (a, b, confidence)
	WHERE confidence <> '')
INSERT INTO match_suggestion (tenant_id, document_a_id, document_b_id, score, decided_by, reasoning, evidence)
SELECT $1, a, b, 0.5, 'rules', '', evidence::jsonb FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[])
	AS m (a, b, confidence, evidence) WHERE confidence = ''`

// TestFoldedAreFalse: none of the questions that the corpora fold away is a true pair, and all
// that is left is a fifth less than the 590 before there was folding.
func TestFoldedAreFalse(t *testing.T) {
	t.Parallel()
	conditions := []string{"visible"}
	if testenv.Thorough() {
		conditions = []string{"visible", "corrupted", "masked"}
	}
	for _, condition := range conditions {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Exec("SET session_replication_role = replica") // no trigger and no foreign key
			links := map[[2]uuid.UUID]bool{}
			for _, name := range []string{"varied", "clerk"} {
				s := must.Get(train.ReadSample(testenv.Shared(t, "eval/matching/"+name), condition))(t)
				f.putEdges(s)
				for _, l := range s.Links {
					links[[2]uuid.UUID{l.A, l.B}] = true
				}
			}
			f.Exec("ANALYZE document, document_match")
			asked, folded := 0, 0
			for key, is := range f.questions() {
				switch {
				case !is:
					asked++
				case links[key]:
					t.Errorf("the folded question %s is true", key)
				default:
					folded++
				}
			}
			if t.Logf("%d questions are left, %d are folded", asked, folded); condition == "visible" && asked > 590*8/10 {
				t.Errorf("%d questions are left, want at most %d", asked, 590*8/10)
			}
		})
	}
}

// putEdges stores a sample's matches and questions by the rules.
func (f *fixture) putEdges(s *train.Sample) {
	f.T.Helper()
	var ids, as, bs []uuid.UUID
	var types, confidences, evidence []string
	for _, d := range s.Documents {
		ids, types = append(ids, d.ID), append(types, string(d.Type))
	}
	for _, d := range must.Get(s.Measure(f.T.Context(), score.Learned))(f.T).Decisions {
		if d.Undecided {
			d.Confidence = ""
		}
		if d.Undecided || d.Outcome == rules.Matched {
			as, bs, confidences = append(as, d.A), append(bs, d.B), append(confidences, d.Confidence)
			evidence = append(evidence, string(must.Get(json.Marshal(d.Evidence))(f.T)))
		}
	}
	f.Exec(putEdgesSQL, tenant, ids, types, as, bs, confidences, evidence)
}

// questions are all there are, and whether they are folded.
func (f *fixture) questions() map[[2]uuid.UUID]bool {
	f.T.Helper()
	list := map[[2]uuid.UUID]bool{}
	rows := must.Get(f.Conn.Query(f.T.Context(), `SELECT document_a_id, document_b_id, question_is_folded(document_a_id, document_b_id, evidence)
		FROM match_suggestion`))(f.T)
	for rows.Next() {
		var key [2]uuid.UUID
		var folded bool
		must.OK(f.T, rows.Scan(&key[0], &key[1], &folded))
		list[key] = folded
	}
	must.OK(f.T, rows.Err())
	return list
}
