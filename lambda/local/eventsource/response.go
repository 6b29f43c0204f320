package eventsource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// failedItems parses a function's response to a batch, as Lambda does with
// ReportBatchItemFailures. On error the whole batch failed; otherwise all messages but the
// returned ones succeeded.
//
// Everything succeeded if the response is empty or null, the list is empty or null, or the
// list is missing. Lambda ignores unknown names, so BatchItemFailures is not a list. The whole
// batch failed if the response is not a JSON object, or if an item's itemIdentifier (in this
// exact spelling) is missing, empty, null or unknown.
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
func failedItems(response []byte, ids []string) (failed map[string]bool, err error) {
	response = bytes.TrimSpace(response)
	if len(response) == 0 || string(response) == `""` {
		return nil, nil
	}
	// A map, because encoding/json matches struct fields regardless of case.
	var body map[string]json.RawMessage
	if err := json.Unmarshal(response, &body); err != nil {
		return nil, fmt.Errorf("decode function response: %w", err)
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
		var id string // stays empty if missing or null
		if raw, ok := item["itemIdentifier"]; ok {
			if err := json.Unmarshal(raw, &id); err != nil {
				return nil, fmt.Errorf("decode batchItemFailures[%d]: %w", i, err)
			}
		}
		if !slices.Contains(ids, id) {
			return nil, fmt.Errorf("batchItemFailures[%d]: unknown itemIdentifier %q, expected a message of the batch", i, id)
		}
		failed[id] = true
	}
	return failed, nil
}
