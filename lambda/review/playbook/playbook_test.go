package playbook

import (
	"testing"

	"matchbook/lambda/review/record"
)

func TestTheDefaultPlaybookHasAPositionOnEveryTopic(t *testing.T) {
	t.Parallel()
	p, err := Parse(Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range record.Topics() {
		if _, ok := p.Position(topic); !ok {
			t.Errorf("no position on %s", topic)
		}
	}
}
