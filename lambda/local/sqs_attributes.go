package local

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sqsSetting is an attribute of a queue that can be set.
type sqsSetting struct {
	initial string
	valid   func(string) bool
	fifo    bool // only for FIFO queues
}

// The limits and defaults are those of the SetQueueAttributes page of the
// Amazon SQS API reference.
var sqsSettings = map[string]sqsSetting{
	"DelaySeconds":                  sqsNumber("0", 0, 900),
	"MaximumMessageSize":            sqsNumber("1048576", 1024, sqsSizeLimit),
	"MessageRetentionPeriod":        sqsNumber("345600", 60, 1209600),
	"ReceiveMessageWaitTimeSeconds": sqsNumber("0", 0, 20),
	"VisibilityTimeout":             sqsNumber("30", 0, 43200),
	"RedrivePolicy":                 {valid: sqsIsObject}, // see parseRedrive
	"RedriveAllowPolicy":            {valid: sqsIsObject},
	"Policy":                        {valid: sqsIsObject},
	"KmsMasterKeyId":                {valid: func(string) bool { return true }},
	"KmsDataKeyReusePeriodSeconds":  sqsNumber("", 60, 86400),
	"SqsManagedSseEnabled":          sqsOneOf(false, "true", "false"),
	"FifoQueue":                     sqsOneOf(true, "true"),
	"ContentBasedDeduplication":     sqsOneOf(true, "false", "true"),
	"DeduplicationScope":            sqsOneOf(true, "queue", "messageGroup"),
	"FifoThroughputLimit":           sqsOneOf(true, "perQueue", "perMessageGroupId"),
}

func sqsNumber(initial string, lowest, highest int) sqsSetting {
	return sqsSetting{initial: initial, valid: func(value string) bool {
		n, err := strconv.Atoi(value)
		return err == nil && n >= lowest && n <= highest
	}}
}

func sqsOneOf(fifo bool, values ...string) sqsSetting {
	return sqsSetting{initial: values[0], fifo: fifo, valid: func(v string) bool { return slices.Contains(values, v) }}
}

// sqsIsObject: a JSON object, or nothing, which takes the attribute away.
func sqsIsObject(value string) bool {
	var object map[string]any
	return value == "" || json.Unmarshal([]byte(value), &object) == nil
}

// number is a setting that is known to be a number.
func (q *sqsQueue) number(setting string) int {
	n, _ := strconv.Atoi(q.settings[setting])
	return n
}

func (q *sqsQueue) duration(setting string) time.Duration {
	return time.Duration(q.number(setting)) * time.Second
}

// configure checks all attributes, then sets them.
func (s *SQS) configure(q *sqsQueue, attributes map[string]string) error {
	redrive := q.redrive
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		value := attributes[name]
		setting, ok := sqsSettings[name]
		if !ok || setting.fifo && !q.fifo {
			return errSQSAttributeName(name)
		}
		if name == "RedrivePolicy" {
			var err error
			if redrive, err = s.parseRedrive(q, value); err != nil {
				return err
			}
		}
		if !setting.valid(value) {
			return errSQSAttributeValue(name)
		}
	}
	maps.Copy(q.settings, attributes)
	q.redrive = redrive
	return nil
}

// sqsInitial are the settings of a queue for which nothing was asked.
func sqsInitial(fifo bool) map[string]string {
	settings := map[string]string{}
	for name, setting := range sqsSettings {
		if fifo || !setting.fifo {
			settings[name] = setting.initial
		}
	}
	return settings
}

// attributes are all attributes of the queue: settings, facts and counts.
func (q *sqsQueue) attributes() map[string]string {
	all := map[string]string{
		"QueueArn":                              q.arn,
		"CreatedTimestamp":                      strconv.FormatInt(q.created.Unix(), 10),
		"LastModifiedTimestamp":                 strconv.FormatInt(q.modified.Unix(), 10),
		"ApproximateNumberOfMessages":           strconv.Itoa(q.visible.Len()),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(q.inFlight()),
		"ApproximateNumberOfMessagesDelayed":    strconv.Itoa(q.delayed),
	}
	maps.Copy(all, q.settings)
	maps.DeleteFunc(all, func(_, value string) bool { return value == "" })
	return all
}

// sqsRedrive is a parsed RedrivePolicy.
type sqsRedrive struct {
	DeadLetterTargetArn string      `json:"deadLetterTargetArn"`
	MaxReceiveCount     json.Number `json:"maxReceiveCount"`
	limit               int
}

func (s *SQS) parseRedrive(q *sqsQueue, value string) (*sqsRedrive, error) {
	if value == "" {
		return nil, nil
	}
	refuse := func(reason string) (*sqsRedrive, error) {
		return nil, errSQSValue(value, "RedrivePolicy", reason)
	}
	var policy sqsRedrive
	if json.Unmarshal([]byte(value), &policy) != nil {
		return refuse("Redrive policy is not a valid JSON map.")
	}
	if !strings.HasPrefix(policy.DeadLetterTargetArn, "arn:") {
		return refuse("Invalid value for deadLetterTargetArn.")
	}
	var err error
	if policy.limit, err = strconv.Atoi(policy.MaxReceiveCount.String()); err != nil || policy.limit < 1 || policy.limit > 1000 {
		return refuse("Invalid value for maxReceiveCount: " + cmp.Or(policy.MaxReceiveCount.String(), "null") +
			", valid values are from 1 to 1000 both inclusive.")
	}
	target := s.queueOf(policy.DeadLetterTargetArn)
	if target == nil {
		return refuse("Dead letter target does not exist.")
	}
	if target.fifo != q.fifo {
		return refuse("Dead-letter queue must be same type of queue as the source.")
	}
	return &policy, nil
}

// queueOf is the queue of an ARN, or nil.
func (s *SQS) queueOf(arn string) *sqsQueue {
	name, ok := strings.CutPrefix(arn, sqsArnPrefix)
	if !ok {
		return nil
	}
	return s.queues[name]
}
