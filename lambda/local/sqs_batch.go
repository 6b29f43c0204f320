package local

import (
	"errors"
	"fmt"
	"regexp"
)

const sqsBatchLimit = 10

var sqsEntryID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// sqsEntry is the part of a batch entry that names it in the response.
type sqsEntry struct{ Id string }

func (e sqsEntry) id() string { return e.Id }

// sqsBatchResult is the answer to a batch that was acceptable as a whole; its
// HTTP status is 200 even if every entry failed.
type sqsBatchResult struct {
	Successful []any
	Failed     []sqsFailed
}

type sqsFailed struct {
	Id, Code, Message string
	SenderFault       bool
}

// sqsCheckBatch checks what fails a batch as a whole.
func sqsCheckBatch[E interface{ id() string }](entries []E) error {
	if len(entries) == 0 {
		return errSQSEmptyBatch
	}
	if len(entries) > sqsBatchLimit {
		return sqsError{"TooManyEntriesInBatchRequest", "AWS.SimpleQueueService.TooManyEntriesInBatchRequest", 400,
			fmt.Sprintf("Maximum number of entries per request are %d. You have sent %d.", sqsBatchLimit, len(entries))}
	}
	seen := map[string]bool{}
	for _, e := range entries {
		if !sqsEntryID.MatchString(e.id()) {
			return errSQSBatchID
		}
		if seen[e.id()] {
			return sqsError{"BatchEntryIdsNotDistinct", "AWS.SimpleQueueService.BatchEntryIdsNotDistinct", 400,
				"Id " + e.id() + " repeated."}
		}
		seen[e.id()] = true
	}
	return nil
}

// sqsEach does the entries one by one; one that fails does not stop the rest.
func sqsEach[E interface{ id() string }](entries []E, do func(E) (any, error)) (any, error) {
	out := sqsBatchResult{Successful: []any{}, Failed: []sqsFailed{}}
	for _, e := range entries {
		result, err := do(e)
		var refused sqsError
		switch {
		case errors.As(err, &refused):
			out.Failed = append(out.Failed, sqsFailed{e.id(), refused.code, refused.message, refused.status < 500})
		case err != nil:
			return nil, err
		default:
			out.Successful = append(out.Successful, result)
		}
	}
	return out, nil
}
