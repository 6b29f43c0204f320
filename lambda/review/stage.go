package review

import (
	"strconv"

	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/record"
)

// stages has all stages, by their numbers less one.
var stages = numbered()

func numbered() []record.Stage {
	all := []record.Stage{record.Categories}
	for _, a := range analyst.All() {
		all = append(all, record.Stage(a.Name))
	}
	return append(all, record.Contract)
}

// number returns the number of a stage, from 1.
func number(s record.Stage) int {
	for i, stage := range stages {
		if stage == s {
			return i + 1
		}
	}
	return len(stages)
}

// cancelledAt is the outcome of a stage that a cancellation has stopped.
func cancelledAt(n int) record.Outcome {
	return record.CancelledAt + record.Outcome(strconv.Itoa(n))
}

// unfinished returns the number of the first stage of the chunk that is not done.
func (w *work) unfinished() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range stages {
		if w.due[s] && !w.done[s] {
			return i + 1
		}
	}
	return len(stages)
}
