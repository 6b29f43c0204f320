package eventsource

import (
	"maps"
	"slices"
	"testing"
)

func TestMappingReadsResponsesLikeLambda(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, response string
		failed         []string
		whole          bool // the whole batch failed
	}{
		{name: "empty", response: ``},
		{name: "white space", response: " \n"},
		{name: "empty string", response: `""`},
		{name: "null", response: `null`},
		{name: "empty object", response: `{}`},
		{name: "null list", response: `{"batchItemFailures":null}`},
		{name: "empty list", response: `{"batchItemFailures":[]}`},
		{name: "list under another name", response: `{"BatchItemFailures":[{"itemIdentifier":"a"}]}`},
		{name: "something else", response: `{"statusCode":200}`},
		{name: "one", response: `{"batchItemFailures":[{"itemIdentifier":"b"}]}`, failed: []string{"b"}},
		{name: "one twice", response: `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"b"}]}`,
			failed: []string{"b"}},
		{name: "all", response: `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"a"}]}`,
			failed: []string{"a", "b"}},
		{name: "more keys", response: `{"x":1,"batchItemFailures":[{"itemIdentifier":"a","reason":"r"}]}`,
			failed: []string{"a"}},
		{name: "no json", response: `done`, whole: true},
		{name: "cut off", response: `{"batchItemFailures":[{"itemIdentifier":"a"}`, whole: true},
		{name: "string", response: `"ok"`, whole: true},
		{name: "list of ids", response: `["a"]`, whole: true},
		{name: "no list", response: `{"batchItemFailures":"a"}`, whole: true},
		{name: "bare ids", response: `{"batchItemFailures":["a"]}`, whole: true},
		{name: "null item", response: `{"batchItemFailures":[null]}`, whole: true},
		{name: "empty item", response: `{"batchItemFailures":[{}]}`, whole: true},
		{name: "empty id", response: `{"batchItemFailures":[{"itemIdentifier":""}]}`, whole: true},
		{name: "null id", response: `{"batchItemFailures":[{"itemIdentifier":null}]}`, whole: true},
		{name: "number", response: `{"batchItemFailures":[{"itemIdentifier":1}]}`, whole: true},
		{name: "wrong key", response: `{"batchItemFailures":[{"messageId":"a"}]}`, whole: true},
		{name: "wrong case", response: `{"batchItemFailures":[{"ItemIdentifier":"a"}]}`, whole: true},
		{name: "unknown id", response: `{"batchItemFailures":[{"itemIdentifier":"c"}]}`, whole: true},
		{name: "one good, one bad", response: `{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"c"}]}`,
			whole: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := failedItems([]byte(tt.response), []string{"a", "b"})
			if (err != nil) != tt.whole {
				t.Fatalf("error %v, want one: %v", err, tt.whole)
			}
			if ids := slices.Sorted(maps.Keys(got)); !slices.Equal(ids, tt.failed) {
				t.Errorf("failed %v, want %v", ids, tt.failed)
			}
		})
	}
}
