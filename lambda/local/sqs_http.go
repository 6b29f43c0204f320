package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"
)

const (
	sqsAccount     = "000000000000"
	sqsArnPrefix   = "arn:aws:sqs:" + localRegion + ":" + sqsAccount + ":"
	sqsContentType = "application/x-amz-json-1.0"

	// sqsBodyLimit bounds a request: 1 MiB of messages, every character of
	// which may be escaped to six bytes, and room for what is around them.
	sqsBodyLimit = 8 << 20
)

// sqsHandler answers one operation: the request, its body, the result.
type sqsHandler func(s *SQS, r *http.Request, body []byte) (any, error)

var sqsOperations = map[string]sqsHandler{
	"CreateQueue":                  sqsOnAll((*SQS).createQueue),
	"GetQueueUrl":                  sqsOnAll((*SQS).getQueueURL),
	"ListQueues":                   sqsOnAll((*SQS).listQueues),
	"DeleteQueue":                  sqsOnQueue((*SQS).deleteQueue),
	"PurgeQueue":                   sqsOnQueue((*SQS).purgeQueue),
	"GetQueueAttributes":           sqsOnQueue((*SQS).getQueueAttributes),
	"SetQueueAttributes":           sqsOnQueue((*SQS).setQueueAttributes),
	"SendMessage":                  sqsOnQueue((*SQS).sendMessage),
	"SendMessageBatch":             sqsOnQueue((*SQS).sendMessageBatch),
	"ReceiveMessage":               receiveMessage,
	"ChangeMessageVisibility":      sqsOnQueue((*SQS).changeMessageVisibility),
	"ChangeMessageVisibilityBatch": sqsOnQueue((*SQS).changeMessageVisibilityBatch),
	"DeleteMessage":                sqsOnQueue((*SQS).deleteMessage),
	"DeleteMessageBatch":           sqsOnQueue((*SQS).deleteMessageBatch),
	"ListDeadLetterSourceQueues":   sqsOnAll((*SQS).listDeadLetterSourceQueues),
	"StartMessageMoveTask":         sqsOnAll((*SQS).startMessageMoveTask),
	"ListMessageMoveTasks":         sqsOnAll((*SQS).listMessageMoveTasks),
	"CancelMessageMoveTask":        sqsOnAll((*SQS).cancelMessageMoveTask),
}

// sqsOnAll makes a handler of an operation that runs under the lock. base is
// the start of queue URLs, such as http://127.0.0.1:9324/000000000000/.
func sqsOnAll[In any](op func(s *SQS, base string, in In) (any, error)) sqsHandler {
	return func(s *SQS, r *http.Request, body []byte) (any, error) {
		in, err := sqsDecode[In](body)
		if err != nil {
			return nil, err
		}
		s.lock()
		defer s.mu.Unlock()
		return op(s, sqsBaseURL(r), in)
	}
}

// sqsTarget is the part of an input that names the queue.
type sqsTarget struct{ QueueUrl string }

func (t sqsTarget) url() string { return t.QueueUrl }

// sqsOnQueue makes a handler of an operation on one queue, which runs under
// the lock on a queue that is up to date.
func sqsOnQueue[In interface{ url() string }](op func(s *SQS, q *sqsQueue, in In) (any, error)) sqsHandler {
	return sqsOnAll(func(s *SQS, _ string, in In) (any, error) {
		q, err := s.queueAt(in.url())
		if err != nil {
			return nil, err
		}
		s.settle(q)
		return op(s, q, in)
	})
}

func sqsDecode[In any](body []byte) (In, error) {
	var in In
	if err := json.Unmarshal(body, &in); err != nil {
		return in, errSQSSerialization
	}
	return in, nil
}

func sqsBaseURL(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + "/" + sqsAccount + "/"
}

// ServeHTTP answers one request of the AWS JSON 1.0 protocol.
func (s *SQS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, err := s.answer(w, r)
	status := http.StatusOK
	if err != nil {
		status, out = sqsErrorResponse(w.Header(), err)
	}
	body, err := json.Marshal(out)
	if err != nil {
		panic(fmt.Sprintf("encode an SQS response: %v", err)) // strings and numbers only
	}
	w.Header().Set("Content-Type", sqsContentType)
	w.Header().Set("X-Amzn-Requestid", uuid.NewString())
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone leaves its messages in flight
}

func (s *SQS) answer(w http.ResponseWriter, r *http.Request) (any, error) {
	name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")
	if !ok || r.Method != http.MethodPost || r.Header.Get("Content-Type") != sqsContentType {
		return nil, errSQSProtocol
	}
	handle, ok := sqsOperations[name]
	if !ok {
		return nil, sqsError{"UnsupportedOperation", "AWS.SimpleQueueService.UnsupportedOperation", 400,
			"The local SQS has no operation " + name + "."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, sqsBodyLimit))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, errSQSTooLarge
	}
	if err != nil {
		return nil, errSQSSerialization
	}
	return handle(s, r, body)
}
