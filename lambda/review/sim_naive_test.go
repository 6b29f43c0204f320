package review_test

import (
	"sync"

	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/category"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// naive is the worker that is often written first: each call is repeated once, a
// message is deleted when its chunk was read, and a review is closed when as many
// chunks were read as it has. There is no claim, no record of calls and no
// vault.
type naive struct {
	playbook playbook.Playbook
	passages map[uuid.UUID]analyst.Passage // by chunk
	reviews  map[uuid.UUID]uuid.UUID       // by chunk

	mu     sync.Mutex
	read   map[uuid.UUID]int            // chunks of a review, repeated ones too
	stages map[uuid.UUID]map[stage]bool // of a review
	closed map[uuid.UUID]int            // results that a closed review had
}

type stage struct {
	chunk uuid.UUID
	name  record.Stage
}

func newNaive(w *world, texts []string) *naive {
	rules, err := playbook.Parse(playbook.Default())
	if err != nil {
		panic(err)
	}
	n := &naive{playbook: rules, passages: map[uuid.UUID]analyst.Passage{}, reviews: map[uuid.UUID]uuid.UUID{},
		read: map[uuid.UUID]int{}, stages: map[uuid.UUID]map[stage]bool{}, closed: map[uuid.UUID]int{}}
	for i, id := range w.ids {
		n.stages[id] = map[stage]bool{}
		for _, c := range w.store.Chunks(id) {
			n.passages[c.ID] = analyst.Passage{Text: texts[i][c.Start:c.End], Start: c.Start, Heading: c.Heading}
			n.reviews[c.ID] = id
		}
	}
	return n
}

// run reads the chunks of a batch at once.
func (n *naive) run(p *process, s simulation, batch []*simMessage) {
	slots := make(chan struct{}, s.callsInFlight)
	var running sync.WaitGroup
	for _, m := range batch {
		running.Go(func() {
			found := n.chunk(p, slots, n.passages[m.ID])
			if p.ctx.Err() == nil {
				n.finish(m.ID, found, s.chunks)
				p.queue.delete(m)
			}
		})
	}
	running.Wait()
}

// chunk returns the stages that were answered.
func (n *naive) chunk(p *process, slots chan struct{}, passage analyst.Passage) (answered []record.Stage) {
	tasks := analyst.Route(category.ByRules(passage.Text, passage.Start, passage.Heading), passage)
	text, ok := ask(p, slots, analyst.Question(tasks, passage, n.playbook))
	if _, err := analyst.Read(tasks, text, passage); !ok || err != nil {
		return nil
	}
	for _, t := range tasks {
		answered = append(answered, t.Stage())
	}
	return answered
}

// ask repeats a call once.
func ask(p *process, slots chan struct{}, q llm.Question) (string, bool) {
	slots <- struct{}{}
	defer func() { <-slots }()
	answer, err := p.model.Answer(p.ctx, q)
	if err != nil && p.ctx.Err() == nil {
		answer, err = p.model.Answer(p.ctx, q)
	}
	return answer.Text, err == nil
}

// finish counts a chunk, and closes its review after as many as it has.
func (n *naive) finish(chunk uuid.UUID, answered []record.Stage, chunks int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id := n.reviews[chunk]
	for _, name := range answered {
		n.stages[id][stage{chunk, name}] = true
	}
	if n.read[id]++; n.read[id] == chunks {
		n.closed[id] = len(n.stages[id])
	}
}

// complete reports whether a review had all results when it was closed.
func (n *naive) complete(id uuid.UUID, chunks int) bool { return n.closed[id] == chunks*simStages }
