package playbook

import (
	"os"
	"regexp"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review/record"
)

func TestDefaultCoversAllTopics(t *testing.T) {
	t.Parallel()
	p := must.Get(Parse(Default()))(t)
	for _, topic := range record.Topics() {
		if _, ok := p.Position(topic); !ok {
			t.Errorf("no position on %s", topic)
		}
	}
}

func TestReadmePlaybookIsValid(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile("../README.md"))(t)
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(page)
	if example == nil {
		t.Fatal("the page has no playbook")
	}
	must.Get(Parse(example[1]))(t)
}
