package revieweval

import (
	"context"

	"matchbook/lambda/failure"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
)

// reader reads a chunk.
type reader interface {
	read(ctx context.Context, p analyst.Passage) chunkRead
}

// chunkRead is the result of reading a chunk.
type chunkRead struct {
	marks    []record.Mark
	findings []record.Finding
	calls    int
	gap      string // why it is incomplete
}

// readerOf returns a reader using the model, or rules without one.
func readerOf(source *scripted.Model) (reader, error) {
	pb, err := playbook.Parse(playbook.Default())
	if err != nil {
		return nil, err
	}
	if source.Flags.Mode == scripted.ModeNone {
		return byRules{pb}, nil
	}
	config, err := source.Config()
	if err != nil {
		return nil, err
	}
	client, err := openai.New(config.OpenAI)
	if err != nil {
		return nil, err
	}
	return asking{model: client.Model(), playbook: pb, retry: llm.Retry{Tries: tries, Base: config.RetryBase}}, nil
}

// tries is the maximum number of attempts per question.
const tries = 4

// byRules reads without a model.
type byRules struct{ playbook playbook.Playbook }

func (b byRules) read(_ context.Context, p analyst.Passage) chunkRead {
	marks := category.ByRules(p.Text, p.Start, p.Heading)
	return chunkRead{marks: marks, findings: b.playbook.ByRules(marks)}
}

// asking reads with questions to a model.
type asking struct {
	model    llm.Model
	playbook playbook.Playbook
	retry    llm.Retry
}

func (a asking) read(ctx context.Context, p analyst.Passage) (r chunkRead) {
	tasks := analyst.Route(category.ByRules(p.Text, p.Start, p.Heading), p)
	r.ask(ctx, a, analyst.Question(tasks, p, a.playbook), func(text string) error {
		parts, err := analyst.Read(tasks, text, p)
		for _, part := range parts {
			r.marks, r.findings = append(r.marks, part.Marks...), append(r.findings, part.Findings...)
		}
		return err
	})
	return r
}

// ask asks one question and reads its answer.
func (r *chunkRead) ask(ctx context.Context, a asking, q llm.Question, read func(text string) error) {
	err := a.retry.Do(ctx, func(ctx context.Context) error {
		r.calls++
		answer, err := a.model.Answer(ctx, q)
		if err != nil {
			return err
		}
		if err := read(answer.Text); err != nil {
			return &failure.Error{Kind: failure.Transient, Sentence: "unusable answer of the model: " + err.Error()}
		}
		return nil
	})
	if err != nil {
		r.gap = q.Name + ": " + err.Error()
	}
}
