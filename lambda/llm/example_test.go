package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
)

// moody answers nonsense first.
type moody struct{ asked int }

func (m *moody) Name() string { return "moody" }

func (m *moody) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	m.asked++
	if m.asked == 1 {
		return llm.Answer{Text: `{"matches":`}, nil
	}
	return llm.Answer{Text: `{"matches":[]}`}, nil
}

// Asking and parsing are one try.
func ExampleRetry() {
	var model llm.Model = &moody{}
	var decision struct{ Matches []any }

	retry := llm.Retry{Base: time.Millisecond}
	err := retry.Do(context.Background(), func(ctx context.Context) error {
		answer, err := model.Answer(ctx, llm.Question{Name: "match_decision", User: "..."})
		if err != nil {
			return failure.At("ask the model", err)
		}
		if json.Unmarshal([]byte(answer.Text), &decision) != nil {
			return &failure.Error{Kind: failure.Transient, Sentence: "unusable answer from the model: expected JSON"}
		}
		return nil
	})
	fmt.Println(len(decision.Matches), err)
	// Output: 0 <nil>
}
