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

// numberSettings are the numeric queue settings: lowest value, highest value and default, as
// in SetQueueAttributes of the Amazon SQS API reference.
var numberSettings = map[string][3]int{
	"DelaySeconds":                  {0, 900, 0},
	"MaximumMessageSize":            {1024, sizeLimit, sizeLimit},
	"MessageRetentionPeriod":        {60, 1209600, 345600},
	"ReceiveMessageWaitTimeSeconds": {0, 20, 0},
	"VisibilityTimeout":             {0, visibilityLimit, 30},
}

// configure checks all settings before it applies any.
func (s *Server) configure(q *queue, settings map[string]string) error {
	dlqArn, maxReceives := q.dlqArn, q.maxReceives
	for name, value := range settings {
		n, notNumber := strconv.Atoi(value)
		limits, isNumber := numberSettings[name]
		var err error
		switch {
		case name == "RedrivePolicy":
			dlqArn, maxReceives, err = s.parseRedrive(q, value)
		case isNumber:
			err = refuse(notNumber != nil || n < limits[0] || n > limits[1], "InvalidAttributeValue",
				"Invalid value for the parameter %s.", name)
		case q.fifo && (name == "FifoQueue" || name == "ContentBasedDeduplication"):
			err = refuse(value != "true" && value != "false", "InvalidAttributeValue",
				"Invalid value for the parameter %s.", name)
		default:
			err = refuse(true, "InvalidAttributeName", "Unknown Attribute %s.", name)
		}
		if err != nil {
			return err
		}
	}
	maps.Copy(q.settings, settings)
	q.dlqArn, q.maxReceives = dlqArn, maxReceives
	return nil
}

// parseRedrive parses a RedrivePolicy; "" removes the policy.
func (s *Server) parseRedrive(q *queue, value string) (dlqArn string, maxReceives int, err error) {
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
		refuse(malformed != nil, codeInvalid, "Redrive policy is not a valid JSON map."),
		refuse(maxReceives < 1 || maxReceives > 1000, codeInvalid,
			"Valid values for maxReceiveCount are from 1 to 1000 both inclusive."),
		refuse(dlq == nil, codeInvalid, "Dead letter target does not exist."),
		refuse(dlq != nil && dlq.fifo != q.fifo, codeInvalid,
			"Dead-letter queue must be same type of queue as the source."))
}

// number returns a setting in numberSettings.
func (q *queue) number(name string) int {
	if n, err := strconv.Atoi(q.settings[name]); err == nil {
		return n
	}
	return numberSettings[name][2]
}

// attributes returns all queue attributes: settings, facts and counts.
func (q *queue) attributes(at time.Time) map[string]string {
	stats := q.count(at)
	all := map[string]string{
		"QueueArn":                              q.arn,
		"CreatedTimestamp":                      strconv.FormatInt(q.created.Unix(), 10),
		"LastModifiedTimestamp":                 strconv.FormatInt(q.modified.Unix(), 10),
		"ApproximateNumberOfMessages":           strconv.Itoa(stats.Visible),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(stats.InFlight),
		"ApproximateNumberOfMessagesDelayed":    strconv.Itoa(stats.Delayed),
	}
	for name := range numberSettings {
		all[name] = strconv.Itoa(q.number(name))
	}
	maps.Copy(all, q.settings)
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" }) // a removed policy
	return all
}

func (s *Server) getAttributes(q *queue, in input) (any, error) {
	return map[string]any{"Attributes": chosen(q.attributes(s.at), in.AttributeNames)}, nil
}

func (s *Server) setAttributes(q *queue, in input) (any, error) {
	q.modified = s.at
	return entryResult{}, s.configure(q, in.Attributes)
}

var queueNameForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.fifo)?$`)

func (s *Server) createQueue(in input) (any, error) {
	q := newQueue(in.QueueName, s.at)
	err := cmp.Or(
		refuse(len(q.name) > 80 || !queueNameForm.MatchString(q.name), codeInvalid,
			"Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"),
		refuse(q.fifo && in.Attributes["FifoQueue"] != "true", codeInvalid,
			"The name of a FIFO queue ends with .fifo, its attribute FifoQueue is true."),
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
			return nil, apiError{"QueueAlreadyExists",
				"A queue already exists with the same name and a different value for attribute " + name, 400}
		}
	}
	return s.getQueueURL(in)
}

func (s *Server) getQueueURL(in input) (any, error) {
	if s.queues[in.QueueName] == nil {
		return nil, errNoQueue
	}
	return map[string]string{"QueueUrl": s.urlOf(in.QueueName)}, nil
}

func (s *Server) listQueues(in input) (any, error) {
	wanted := func(q *queue) bool { return strings.HasPrefix(q.name, in.QueueNamePrefix) }
	return map[string]any{"QueueUrls": s.urls(wanted)}, nil
}

func (s *Server) urls(wanted func(*queue) bool) []string {
	urls := []string{}
	for name, q := range s.queues {
		if wanted(q) {
			urls = append(urls, s.urlOf(name))
		}
	}
	slices.Sort(urls)
	return urls
}

// urlOf returns a queue's URL with the host the client called.
func (s *Server) urlOf(name string) string {
	return "http://" + s.request.Host + "/" + account + "/" + name
}

// queueAt returns the queue at a URL, without its expired messages. It ignores the host, so a
// queue created through localhost is found through 127.0.0.1.
func (s *Server) queueAt(url string) (*queue, error) {
	_, name, _ := strings.Cut(url, "/"+account+"/")
	q, ok := s.queues[name]
	if !ok {
		return nil, cmp.Or(refuse(url == "", codeMissing,
			"The request must contain the parameter QueueUrl."), error(errNoQueue))
	}
	s.expire(q)
	return q, nil
}

// queueOf returns the queue with this ARN, or nil.
func (s *Server) queueOf(arn string) *queue {
	name, ok := strings.CutPrefix(arn, arnPrefix)
	if !ok {
		return nil
	}
	return s.queues[name]
}

func (s *Server) deleteQueue(q *queue, in input) (any, error) {
	delete(s.queues, q.name)
	q.wake() // its long polls return errNoQueue
	return s.purgeQueue(q, in)
}

// purgeQueue deletes every message, including messages in flight.
func (s *Server) purgeQueue(q *queue, _ input) (any, error) {
	for _, m := range slices.Clone(q.line) {
		q.remove(m)
		s.report(Deleted, q, m, 0)
	}
	return entryResult{}, nil
}
