package postgres

import (
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/jackc/pgx/v5"
)

// articleLesson is an article taught about a supplier's name.
type articleLesson struct{ supplier, fact string }

// lessonsOf lists the articles that a confirmation teaches, for the names of the supplier on both
// documents.
func lessonsOf(w *word) (list []articleLesson) {
	if w.Verdict != rules.Confirmed {
		return nil
	}
	first, second := w.raws[0], w.raws[1]
	first.Known, second.Known = "", "" // a lesson must not depend on earlier ones
	a, err1 := score.Read(first)
	b, err2 := score.Read(second)
	if err1 != nil || err2 != nil {
		return nil
	}
	names := map[string]bool{a.Naming().Name: true, b.Naming().Name: true}
	delete(names, "")
	for _, article := range score.TaughtArticles(a, b) {
		for name := range names {
			list = append(list, articleLesson{name, article.Fact()})
		}
	}
	return list
}

// Statements about the lessons of a pair.
const (
	unteachArticlesSQL = `
DELETE FROM taught_article WHERE document_a_id = $1 AND document_b_id = $2`
	teachArticlesSQL = `
INSERT INTO taught_article (document_a_id, document_b_id, tenant_id, supplier, fact)
SELECT $1, $2, tenant_id, l.supplier, l.fact FROM document, unnest($3::text[], $4::text[]) AS l (supplier, fact) WHERE id = $1`
	// taughtNamesSQL lists the suppliers' names of documents after a decision about them, because
	// it may have taught something or withdrawn it.
	taughtNamesSQL = `
SELECT name FROM party_name WHERE document_id = ANY ($1) AND name <> ''`
)

// teach replaces what the pair taught before.
func (w *word) teach(batch *pgx.Batch) {
	a, b := w.pair[0], w.pair[1]
	batch.Queue(unteachArticlesSQL, a, b)
	var suppliers, facts []string
	for _, l := range w.lessons {
		suppliers, facts = append(suppliers, l.supplier), append(facts, l.fact)
	}
	if len(facts) > 0 {
		batch.Queue(teachArticlesSQL, a, b, suppliers, facts)
	}
}
