package eval_test

import (
	"fmt"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"

	"github.com/google/uuid"
)

func ExampleScore() {
	order, invoice, other := uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}
	report := eval.Score(eval.Input{
		Documents: []corpus.Document{
			{ID: order, Type: document.PurchaseOrder},
			{ID: invoice, Type: document.Invoice},
			{ID: other, Type: document.Invoice},
		},
		Links: []corpus.Pair{{A: order, B: invoice}},
		Edges: []eval.Edge{
			{Pair: corpus.PairOf(order, invoice), Score: 0.9},
			{Pair: corpus.PairOf(order, other), Score: 0.8},
		},
	})
	fmt.Println("precision", report.Pairwise.Precision, "recall", report.Pairwise.Recall)
	fmt.Println("B-cubed precision", report.BCubed.Precision, "recall", report.BCubed.Recall)
	for _, m := range report.Worst(10) {
		fmt.Println(m.Kind, m.B == other, m.Score)
	}
	// Output:
	// precision 0.5000 recall 1.0000
	// B-cubed precision 0.5556 recall 1.0000
	// false-positive true 0.8000
}
