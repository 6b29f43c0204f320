package sqs

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sqsNumbers are the settings of a queue that are numbers: the lowest and the
// highest value and the default, by the SetQueueAttributes page of the Amazon
// SQS API reference.
var sqsNumbers = map[string][3]int{
	"DelaySeconds":                  {0, 900, 0},
	"MaximumMessageSize":            {1024, sqsSizeLimit, sqsSizeLimit},
	"MessageRetentionPeriod":        {60, 1209600, 345600},
	"ReceiveMessageWaitTimeSeconds": {0, 20, 0},
	"VisibilityTimeout":             {0, sqsVisibilityLimit, 30},
}

// configure checks all settings, then sets them.
func (s *Server) configure(q *sqsQueue, settings map[string]string) error {
	dlqArn, maxReceives := q.dlqArn, q.maxReceives
	for name, value := range settings {
		n, notNumber := strconv.Atoi(value)
		limits, isNumber := sqsNumbers[name]
		var err error
		switch {
		case name == "RedrivePolicy":
			dlqArn, maxReceives, err = s.parseRedrive(q, value)
		case isNumber:
			err = sqsRefuse(notNumber != nil || n < limits[0] || n > limits[1], "InvalidAttributeValue", "Invalid value for the parameter %s.", name)
		case q.fifo && (name == "FifoQueue" || name == "ContentBasedDeduplication"):
			err = sqsRefuse(value != "true" && value != "false", "InvalidAttributeValue", "Invalid value for the parameter %s.", name)
		default:
			err = sqsRefuse(true, "InvalidAttributeName", "Unknown Attribute %s.", name)
		}
		if err != nil {
			return err
		}
	}
	maps.Copy(q.settings, settings)
	q.dlqArn, q.maxReceives = dlqArn, maxReceives
	return nil
}

// parseRedrive reads a RedrivePolicy; an empty one takes the policy away.
func (s *Server) parseRedrive(q *sqsQueue, value string) (dlqArn string, maxReceives int, err error) {
	if value == "" {
		return "", 0, nil
	}
	var policy struct {
		DeadLetterTargetArn string
		MaxReceiveCount     json.Number
	}
	malformed := json.Unmarshal([]byte(value), &policy)
	maxReceives, _ = strconv.Atoi(policy.MaxReceiveCount.String())
	dlq := s.queueOf(policy.DeadLetterTargetArn)
	return policy.DeadLetterTargetArn, maxReceives, cmp.Or(
		sqsRefuse(malformed != nil, sqsInvalid, "Redrive policy is not a valid JSON map."),
		sqsRefuse(maxReceives < 1 || maxReceives > 1000, sqsInvalid, "Valid values for maxReceiveCount are from 1 to 1000 both inclusive."),
		sqsRefuse(dlq == nil, sqsInvalid, "Dead letter target does not exist."),
		sqsRefuse(dlq != nil && dlq.fifo != q.fifo, sqsInvalid, "Dead-letter queue must be same type of queue as the source."))
}

// number is the setting of one of sqsNumbers.
func (q *sqsQueue) number(name string) int {
	if n, err := strconv.Atoi(q.settings[name]); err == nil {
		return n
	}
	return sqsNumbers[name][2]
}

// attributes are all that the queue has: settings, facts and counts.
func (q *sqsQueue) attributes(at time.Time) map[string]string {
	stats := q.count(at)
	all := map[string]string{
		"QueueArn":                              q.arn,
		"CreatedTimestamp":                      strconv.FormatInt(q.created.Unix(), 10),
		"LastModifiedTimestamp":                 strconv.FormatInt(q.modified.Unix(), 10),
		"ApproximateNumberOfMessages":           strconv.Itoa(stats.Visible),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(stats.InFlight),
		"ApproximateNumberOfMessagesDelayed":    strconv.Itoa(stats.Delayed),
	}
	for name := range sqsNumbers {
		all[name] = strconv.Itoa(q.number(name))
	}
	maps.Copy(all, q.settings)
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" }) // a policy that was taken away
	return all
}

func (s *Server) getAttributes(q *sqsQueue, in sqsInput) (any, error) {
	return map[string]any{"Attributes": sqsChosen(q.attributes(s.at), in.AttributeNames)}, nil
}

func (s *Server) setAttributes(q *sqsQueue, in sqsInput) (any, error) {
	q.modified = s.at
	return sqsResult{}, s.configure(q, in.Attributes)
}

var sqsQueueName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.fifo)?$`)

func (s *Server) createQueue(in sqsInput) (any, error) {
	q := newSQSQueue(in.QueueName, s.at)
	err := cmp.Or(
		sqsRefuse(len(q.name) > 80 || !sqsQueueName.MatchString(q.name), sqsInvalid, "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"),
		sqsRefuse(q.fifo && in.Attributes["FifoQueue"] != "true", sqsInvalid, "The name of a FIFO queue ends with .fifo, its attribute FifoQueue is true."),
		s.configure(q, in.Attributes))
	if err != nil {
		return nil, err
	}
	there, ok := s.queues[q.name]
	if !ok {
		s.queues[q.name] = q
		return s.getQueueURL(in)
	}
	has := there.attributes(s.at)
	for name, value := range in.Attributes {
		if has[name] != value {
			return nil, sqsError{"QueueAlreadyExists", "A queue already exists with the same name and a different value for attribute " + name, 400}
		}
	}
	return s.getQueueURL(in)
}

func (s *Server) getQueueURL(in sqsInput) (any, error) {
	if s.queues[in.QueueName] == nil {
		return nil, errSQSNoQueue
	}
	return map[string]string{"QueueUrl": s.urlOf(in.QueueName)}, nil
}

func (s *Server) listQueues(in sqsInput) (any, error) {
	return map[string]any{"QueueUrls": s.urls(func(q *sqsQueue) bool { return strings.HasPrefix(q.name, in.QueueNamePrefix) })}, nil
}

func (s *Server) urls(wanted func(*sqsQueue) bool) []string {
	urls := []string{}
	for name, q := range s.queues {
		if wanted(q) {
			urls = append(urls, s.urlOf(name))
		}
	}
	slices.Sort(urls)
	return urls
}

// urlOf is a queue's URL, at the host that the client has called.
func (s *Server) urlOf(name string) string {
	return "http://" + s.request.Host + "/" + sqsAccount + "/" + name
}

// queueAt finds the queue of a URL and brings it up to date. Whatever the host,
// so that a queue made through localhost is found through 127.0.0.1.
func (s *Server) queueAt(url string) (*sqsQueue, error) {
	_, name, _ := strings.Cut(url, "/"+sqsAccount+"/")
	q, ok := s.queues[name]
	if !ok {
		return nil, cmp.Or(sqsRefuse(url == "", sqsMissing, "The request must contain the parameter QueueUrl."), error(errSQSNoQueue))
	}
	s.expire(q)
	return q, nil
}

// queueOf is the queue of an ARN, or nil.
func (s *Server) queueOf(arn string) *sqsQueue {
	name, ok := strings.CutPrefix(arn, sqsArnPrefix)
	if !ok {
		return nil
	}
	return s.queues[name]
}

func (s *Server) deleteQueue(q *sqsQueue, in sqsInput) (any, error) {
	delete(s.queues, q.name)
	q.wake() // its long polls find it gone
	return s.purgeQueue(q, in)
}

// purgeQueue deletes every message, those in flight too.
func (s *Server) purgeQueue(q *sqsQueue, _ sqsInput) (any, error) {
	for _, m := range slices.Clone(q.line) {
		q.remove(m)
		s.tell(Deleted, q, m, 0)
	}
	return sqsResult{}, nil
}
