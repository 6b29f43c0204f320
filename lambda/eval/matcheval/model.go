package matcheval

import (
	"slices"

	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/local/scripted"
)

// evalModel is the use of a model on a corpus.
type evalModel struct {
	scripted.Summary
	Decided decidedReport `json:"decided"`
	Answers []answered    `json:"answers"` // by confidence, highest first
}

// answered are the pairs with one of the model's answers.
type answered struct {
	Confidence string      `json:"confidence"`
	Pairs      int         `json:"pairs"`
	True       int         `json:"true"`
	Share      eval.Figure `json:"share"` // of true pairs: the precision of high, medium and low
}

// confidences are a model's answers; none means it did not choose the candidate.
var confidences = []string{"high", "medium", "low", "none"}

// answered measures the model's answers about pairs of the corpus, regardless of the final
// decisions.
func (o outcome) answered(c corpus.Corpus) []answered {
	list := []answered{}
	for _, confidence := range confidences {
		in := eval.Input{Documents: c.Documents, Links: c.Links}
		for _, a := range o.answers {
			if a.Confidence == confidence {
				in.Edges = append(in.Edges, eval.Edge{Pair: corpus.PairOf(a.A, a.B)})
			}
		}
		if len(in.Edges) > 0 {
			r := eval.Score(in)
			list = append(list, answered{confidence, r.Edges, r.Pairwise.TP, r.Pairwise.Precision})
		}
	}
	return list
}

// decidedReport has the figures of the matches decided by the model.
type decidedReport struct {
	Matches   int         `json:"matches"`
	True      int         `json:"true"`
	Precision eval.Figure `json:"precision"`
}

// decided measures the matches decided by the model.
func (o outcome) decided(c corpus.Corpus) decidedReport {
	in := o.input(c)
	in.Edges = slices.DeleteFunc(in.Edges, func(e eval.Edge) bool { return e.DecidedBy != "model" })
	r := eval.Score(eval.Input{Documents: in.Documents, Links: in.Links, Edges: in.Edges})
	return decidedReport{r.Edges, r.Pairwise.TP, r.Pairwise.Precision}
}
