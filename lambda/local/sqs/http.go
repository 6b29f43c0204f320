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
	account      = "000000000000"
	arnPrefix    = "arn:aws:sqs:" + Region + ":" + account + ":"
	contentType  = "application/x-amz-json-1.0"
	targetPrefix = "AmazonSQS." // followed by the operation, in X-Amz-Target

	// bodyLimit bounds a request: 1 MiB of messages, with up to six bytes for an escaped
	// character, plus room for the JSON.
	bodyLimit  = 8 << 20
	batchLimit = 10
)

var entryIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,80}$`)

// operation computes the result of a call. It runs under the lock.
type operation func(*Server, input) (any, error)

var operations = map[string]operation{
	"CreateQueue":                  (*Server).createQueue,
	"GetQueueUrl":                  (*Server).getQueueURL,
	"ListQueues":                   (*Server).listQueues,
	"DeleteQueue":                  onQueue((*Server).deleteQueue),
	"PurgeQueue":                   onQueue((*Server).purgeQueue),
	"GetQueueAttributes":           onQueue((*Server).getAttributes),
	"SetQueueAttributes":           onQueue((*Server).setAttributes),
	"SendMessage":                  onMessage((*Server).send),
	"SendMessageBatch":             onBatch((*Server).send),
	"ReceiveMessage":               onQueue((*Server).receive),
	"ChangeMessageVisibility":      onMessage((*Server).changeVisibility),
	"ChangeMessageVisibilityBatch": onBatch((*Server).changeVisibility),
	"DeleteMessage":                onMessage((*Server).delete),
	"DeleteMessageBatch":           onBatch((*Server).delete),
	"ListDeadLetterSourceQueues":   onQueue((*Server).listDeadLetterSources),
	"StartMessageMoveTask":         (*Server).startMove,
	"ListMessageMoveTasks":         (*Server).listMoves,
}

// input is the union of all inputs, because a name means the same throughout SQS.
type input struct {
	QueueUrl, QueueName         string
	QueueNamePrefix             string
	SourceArn, DestinationArn   string
	Attributes                  map[string]string // queue attributes
	AttributeNames              []string          // queue attributes; in the older API also message attributes
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
	MaxNumberOfMessages         *int
	WaitTimeSeconds             *int
	Entries                     []entry
	entry
}

// entry is the input for one message, from a single call or a batch. Numbers are seconds.
type entry struct {
	Id                     string // batches only
	MessageBody            string
	MessageAttributes      map[string]messageAttribute
	DelaySeconds           *int
	MessageGroupId         string
	MessageDeduplicationId string
	ReceiptHandle          string
	VisibilityTimeout      *int
}

// entryResult is the result for one message.
type entryResult struct {
	Id                     string `json:",omitempty"`
	MessageId              string `json:",omitempty"`
	MD5OfMessageBody       string `json:",omitempty"`
	MD5OfMessageAttributes string `json:",omitempty"`
}

// ServeHTTP handles one request in the AWS JSON 1.0 protocol.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	out, err := s.answer(w, r)
	if errors.Is(err, errLost) {
		panic(http.ErrAbortHandler) // makes net/http close the connection
	}
	if err != nil {
		known := apiErrorOf(err)
		status = known.status
		out = map[string]string{"__type": "com.amazonaws.sqs#" + known.shape(), "message": known.message}
		w.Header().Set("X-Amzn-Query-Error", known.code+";"+known.at())
	}
	body, err := json.Marshal(out)
	if err != nil {
		panic(fmt.Sprintf("encode an SQS response: %v", err)) // can't happen: strings and numbers only
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Amzn-Requestid", uuid.NewString())
	w.WriteHeader(status)
	_, _ = w.Write(body) // if the client is gone, its messages stay in flight
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) (any, error) {
	name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), targetPrefix)
	if !ok || r.Method != http.MethodPost || r.Header.Get("Content-Type") != contentType {
		return nil, apiError{"UnknownOperation",
			"Only POST with X-Amz-Target " + targetPrefix + "* and " + contentType + " is understood.", 400}
	}
	operation, ok := operations[name]
	if !ok {
		return nil, apiError{codePrefix + "UnsupportedOperation", "The local SQS has no operation " + name + ".", 400}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		return nil, apiError{"RequestEntityTooLarge", "The request is too large, or was cut off.", 413}
	}
	var in input
	if json.Unmarshal(body, &in) != nil {
		return nil, apiError{"SerializationException", "The request body is not the JSON of this operation.", 400}
	}
	s.lock(r)
	defer s.mu.Unlock()
	return s.faulty(operation, in)
}

// onQueue turns a method on a queue into an operation.
func onQueue(do func(*Server, *queue, input) (any, error)) operation {
	return func(s *Server, in input) (any, error) {
		q, err := s.queueAt(in.QueueUrl)
		if err != nil {
			return nil, err
		}
		return do(s, q, in)
	}
}

// entryOperation handles one message.
type entryOperation func(*Server, *queue, entry) (entryResult, error)

func onMessage(do entryOperation) operation {
	return onQueue(func(s *Server, q *queue, in input) (any, error) { return do(s, q, in.entry) })
}

// onBatch handles each entry, whether or not others fail. The HTTP status is 200 even if every
// entry failed.
func onBatch(do entryOperation) operation {
	type failed struct {
		Id, Code, Message string
		SenderFault       bool
	}
	return onQueue(func(s *Server, q *queue, in input) (any, error) {
		if err := checkBatch(in.Entries); err != nil {
			return nil, err
		}
		var out struct {
			Successful []entryResult
			Failed     []failed
		}
		for _, e := range in.Entries {
			if result, err := s.faultyEntry(do, q, e); err == nil {
				out.Successful = append(out.Successful, result)
			} else {
				known := apiErrorOf(err)
				out.Failed = append(out.Failed, failed{e.Id, known.code, known.message, known.at() == "Sender"})
			}
		}
		return out, nil
	})
}

// checkBatch checks the rules for the batch as a whole.
func checkBatch(entries []entry) error {
	ids, valid, size := map[string]bool{}, true, 0
	for _, e := range entries {
		ids[e.Id] = true
		valid = valid && entryIDForm.MatchString(e.Id)
		size += e.size()
	}
	return cmp.Or(
		refuse(len(entries) == 0, codePrefix+"EmptyBatchRequest", "There should be at least one entry in the request."),
		refuse(len(entries) > batchLimit, codePrefix+"TooManyEntriesInBatchRequest",
			"Maximum number of entries per request are %d.", batchLimit),
		refuse(!valid, codePrefix+"InvalidBatchEntryId",
			"A batch entry id can only contain alphanumeric characters, hyphens and underscores. "+
				"It can be at most 80 letters long."),
		refuse(len(ids) < len(entries), codePrefix+"BatchEntryIdsNotDistinct", "An id is repeated."),
		refuse(size > sizeLimit, codePrefix+"BatchRequestTooLong",
			"Batch requests cannot be longer than %d bytes. You have sent %d bytes.", sizeLimit, size))
}
