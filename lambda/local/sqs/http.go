package sqs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/google/uuid"
)

const (
	sqsAccount     = "000000000000"
	sqsArnPrefix   = "arn:aws:sqs:" + Region + ":" + sqsAccount + ":"
	sqsContentType = "application/x-amz-json-1.0"
	sqsTarget      = "AmazonSQS." // and the operation, in the header X-Amz-Target

	// sqsBodyLimit bounds a request: 1 MiB of messages, every character of
	// which may be escaped to six bytes, and room for what is around them.
	sqsBodyLimit  = 8 << 20
	sqsBatchLimit = 10
)

var sqsEntryID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// sqsOperation makes the result of a call. It runs under the lock.
type sqsOperation func(*Server, sqsInput) (any, error)

var sqsOperations = map[string]sqsOperation{
	"CreateQueue":                  (*Server).createQueue,
	"GetQueueUrl":                  (*Server).getQueueURL,
	"ListQueues":                   (*Server).listQueues,
	"DeleteQueue":                  sqsOnQueue((*Server).deleteQueue),
	"PurgeQueue":                   sqsOnQueue((*Server).purgeQueue),
	"GetQueueAttributes":           sqsOnQueue((*Server).getAttributes),
	"SetQueueAttributes":           sqsOnQueue((*Server).setAttributes),
	"SendMessage":                  sqsOnMessage((*Server).send),
	"SendMessageBatch":             sqsOnBatch((*Server).send),
	"ReceiveMessage":               sqsOnQueue((*Server).receive),
	"ChangeMessageVisibility":      sqsOnMessage((*Server).changeVisibility),
	"ChangeMessageVisibilityBatch": sqsOnBatch((*Server).changeVisibility),
	"DeleteMessage":                sqsOnMessage((*Server).delete),
	"DeleteMessageBatch":           sqsOnBatch((*Server).delete),
	"ListDeadLetterSourceQueues":   sqsOnQueue((*Server).listDeadLetterSources),
	"StartMessageMoveTask":         (*Server).startMove,
	"ListMessageMoveTasks":         (*Server).listMoves,
}

// sqsInput is the input of every operation; a name means the same in all of SQS.
type sqsInput struct {
	QueueUrl, QueueName         string
	QueueNamePrefix             string
	SourceArn, DestinationArn   string
	Attributes                  map[string]string // of a queue
	AttributeNames              []string          // of a queue; of a message in the older API
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
	MaxNumberOfMessages         *int
	WaitTimeSeconds             *int
	Entries                     []sqsEntry
	sqsEntry
}

// sqsEntry is the input about one message: of a call of its own, or of an
// entry of a batch. Numbers are seconds.
type sqsEntry struct {
	Id                     string // only in a batch
	MessageBody            string
	MessageAttributes      map[string]sqsMessageAttribute
	DelaySeconds           *int
	MessageGroupId         string
	MessageDeduplicationId string
	ReceiptHandle          string
	VisibilityTimeout      *int
}

// sqsResult is the answer for one message.
type sqsResult struct {
	Id                     string `json:",omitempty"`
	MessageId              string `json:",omitempty"`
	MD5OfMessageBody       string `json:",omitempty"`
	MD5OfMessageAttributes string `json:",omitempty"`
}

// ServeHTTP answers one request of the AWS JSON 1.0 protocol.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	out, err := s.answer(w, r)
	if errors.Is(err, errSQSLost) {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	if err != nil {
		known := sqsErrorOf(err)
		status, out = known.status, map[string]string{"__type": "com.amazonaws.sqs#" + known.shape(), "message": known.message}
		w.Header().Set("X-Amzn-Query-Error", known.code+";"+known.at())
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

func (s *Server) answer(w http.ResponseWriter, r *http.Request) (any, error) {
	name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), sqsTarget)
	if !ok || r.Method != http.MethodPost || r.Header.Get("Content-Type") != sqsContentType {
		return nil, sqsError{"UnknownOperation", "Only POST with X-Amz-Target " + sqsTarget + "* and " + sqsContentType + " is understood.", 400}
	}
	operation, ok := sqsOperations[name]
	if !ok {
		return nil, sqsError{sqsPrefix + "UnsupportedOperation", "The local SQS has no operation " + name + ".", 400}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, sqsBodyLimit))
	if err != nil {
		return nil, sqsError{"RequestEntityTooLarge", "The request is too large, or was cut off.", 413}
	}
	var in sqsInput
	if json.Unmarshal(body, &in) != nil {
		return nil, sqsError{"SerializationException", "The request body is not the JSON of this operation.", 400}
	}
	s.lock(r)
	defer s.mu.Unlock()
	return s.faulty(operation, in)
}

// sqsOnQueue makes an operation of a method that works on one queue.
func sqsOnQueue(do func(*Server, *sqsQueue, sqsInput) (any, error)) sqsOperation {
	return func(s *Server, in sqsInput) (any, error) {
		q, err := s.queueAt(in.QueueUrl)
		if err != nil {
			return nil, err
		}
		return do(s, q, in)
	}
}

// sqsMethod deals with one message.
type sqsMethod func(*Server, *sqsQueue, sqsEntry) (sqsResult, error)

func sqsOnMessage(do sqsMethod) sqsOperation {
	return sqsOnQueue(func(s *Server, q *sqsQueue, in sqsInput) (any, error) { return do(s, q, in.sqsEntry) })
}

// sqsOnBatch does the entries one by one; one that fails does not stop the
// rest. The HTTP status is 200 even if every entry failed.
func sqsOnBatch(do sqsMethod) sqsOperation {
	type failed struct {
		Id, Code, Message string
		SenderFault       bool
	}
	return sqsOnQueue(func(s *Server, q *sqsQueue, in sqsInput) (any, error) {
		if err := sqsCheckBatch(in.Entries); err != nil {
			return nil, err
		}
		var out struct {
			Successful []sqsResult
			Failed     []failed
		}
		for _, e := range in.Entries {
			if result, err := s.faultyEntry(do, q, e); err == nil {
				out.Successful = append(out.Successful, result)
			} else {
				known := sqsErrorOf(err)
				out.Failed = append(out.Failed, failed{e.Id, known.code, known.message, known.at() == "Sender"})
			}
		}
		return out, nil
	})
}

// sqsCheckBatch checks what fails a batch as a whole.
func sqsCheckBatch(entries []sqsEntry) error {
	ids, valid, size := map[string]bool{}, true, 0
	for _, e := range entries {
		ids[e.Id] = true
		valid = valid && sqsEntryID.MatchString(e.Id)
		size += e.size()
	}
	return cmp.Or(
		sqsRefuse(len(entries) == 0, sqsPrefix+"EmptyBatchRequest", "There should be at least one entry in the request."),
		sqsRefuse(len(entries) > sqsBatchLimit, sqsPrefix+"TooManyEntriesInBatchRequest", "Maximum number of entries per request are %d.", sqsBatchLimit),
		sqsRefuse(!valid, sqsPrefix+"InvalidBatchEntryId", "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long."),
		sqsRefuse(len(ids) < len(entries), sqsPrefix+"BatchEntryIdsNotDistinct", "An id is repeated."),
		sqsRefuse(size > sqsSizeLimit, sqsPrefix+"BatchRequestTooLong", "Batch requests cannot be longer than %d bytes. You have sent %d bytes.", sqsSizeLimit, size))
}
