package playbook

import (
	"os"
	"regexp"
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

func TestThePlaybookOfThePageIsValid(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("the page has no playbook")
	}
	if _, err := Parse(example[1]); err != nil {
		t.Error(err)
	}
}
