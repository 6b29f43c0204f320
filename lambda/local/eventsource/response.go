package eventsource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// failedItems reads a function's response to a batch with the given message
// ids, as Lambda does with ReportBatchItemFailures. An error fails the whole
// batch; otherwise all messages but the failed ones succeeded.
//
// Everything succeeded: an empty or null response, an empty or null list, or a
// response without a list. A list under another name, such as BatchItemFailures,
// does not count: Lambda ignores unknown names. The whole batch failed: a response
// other than a JSON object, an item without an itemIdentifier spelled exactly so,
// or with one that is empty, null or of no message in the batch.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
func failedItems(response []byte, ids []string) (failed map[string]bool, err error) {
	response = bytes.TrimSpace(response)
	if len(response) == 0 || string(response) == `""` {
		return nil, nil
	}
	// Maps, because encoding/json matches the names of struct fields in any case.
	var body map[string]json.RawMessage
	if err := json.Unmarshal(response, &body); err != nil {
		return nil, fmt.Errorf("decode the function's response: %w", err)
	}
	list, ok := body["batchItemFailures"]
	if !ok {
		return nil, nil
	}
	var items []map[string]json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, fmt.Errorf("decode batchItemFailures: %w", err)
	}
	failed = make(map[string]bool, len(items))
	for i, item := range items {
		var id string // stays empty if the name is missing or null
		if raw, ok := item["itemIdentifier"]; ok {
			if err := json.Unmarshal(raw, &id); err != nil {
				return nil, fmt.Errorf("decode batchItemFailures[%d]: %w", i, err)
			}
		}
		if !slices.Contains(ids, id) {
			return nil, fmt.Errorf("batchItemFailures[%d]: itemIdentifier %q is of no message in the batch", i, id)
		}
		failed[id] = true
	}
	return failed, nil
}
