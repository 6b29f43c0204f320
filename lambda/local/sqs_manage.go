package local

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// sqsPause is how long a name is taken after its queue was deleted, and how
// long a queue is not purged again.
const sqsPause = time.Minute

var sqsQueueName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.fifo)?$`)

type createQueueInput struct {
	QueueName  string
	Attributes map[string]string
}

func (s *SQS) createQueue(base string, in createQueueInput) (any, error) {
	fifo := strings.HasSuffix(in.QueueName, ".fifo")
	if len(in.QueueName) > 80 || !sqsQueueName.MatchString(in.QueueName) || fifo && in.Attributes["FifoQueue"] != "true" {
		return nil, errSQSParameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length. " +
			"The name of a FIFO queue ends with .fifo, its attribute FifoQueue is true.")
	}
	if at, ok := s.deleted[in.QueueName]; ok && s.at.Before(at.Add(sqsPause)) {
		return nil, errSQSDeletedNow
	}
	q := newSQSQueue(in.QueueName, fifo, s.at)
	q.secret, q.settings = uuid.NewString(), sqsInitial(fifo)
	if err := s.configure(q, in.Attributes); err != nil {
		return nil, err
	}
	if there, ok := s.queues[q.name]; ok {
		if err := there.agrees(in.Attributes); err != nil {
			return nil, err
		}
	} else {
		s.queues[q.name] = q
	}
	return map[string]string{"QueueUrl": base + q.name}, nil
}

// agrees reports an error if the queue has other values for the attributes.
func (q *sqsQueue) agrees(attributes map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if q.settings[name] != attributes[name] {
			return sqsError{"QueueNameExists", "QueueAlreadyExists", 400,
				"A queue already exists with the same name and a different value for attribute " + name}
		}
	}
	return nil
}

func (s *SQS) getQueueURL(base string, in struct{ QueueName string }) (any, error) {
	if _, ok := s.queues[in.QueueName]; !ok {
		return nil, errSQSNoQueue
	}
	return map[string]string{"QueueUrl": base + in.QueueName}, nil
}

// queueAt finds the queue of a URL. Whatever the host, so that a queue made
// through localhost is found through 127.0.0.1.
func (s *SQS) queueAt(address string) (*sqsQueue, error) {
	if address == "" {
		return nil, errSQSMissing("QueueUrl")
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, sqsError{"InvalidAddress", "InvalidAddress", 404, fmt.Sprintf("The address %s is not valid for this endpoint.", address)}
	}
	name, ok := strings.CutPrefix(u.Path, "/"+sqsAccount+"/")
	q := s.queues[name]
	if !ok || q == nil {
		return nil, errSQSNoQueue
	}
	return q, nil
}

// listQueues gives at most 1,000 names, as SQS does; there is no second page.
func (s *SQS) listQueues(base string, in struct {
	QueueNamePrefix string
	MaxResults      *int
}) (any, error) {
	limit := 1000
	if err := sqsRange("MaxResults", in.MaxResults, 1, limit); err != nil {
		return nil, err
	}
	if in.MaxResults != nil {
		limit = *in.MaxResults
	}
	urls := s.urls(base, func(q *sqsQueue) bool { return strings.HasPrefix(q.name, in.QueueNamePrefix) })
	return map[string][]string{"QueueUrls": urls[:min(limit, len(urls))]}, nil
}

func (s *SQS) listDeadLetterSourceQueues(base string, in sqsTarget) (any, error) {
	dlq, err := s.queueAt(in.QueueUrl)
	if err != nil {
		return nil, err
	}
	return map[string][]string{"queueUrls": s.urls(base, func(q *sqsQueue) bool { return q.feeds(dlq) })}, nil
}

func (s *SQS) urls(base string, wanted func(*sqsQueue) bool) []string {
	urls := []string{}
	for _, name := range slices.Sorted(maps.Keys(s.queues)) {
		if wanted(s.queues[name]) {
			urls = append(urls, base+name)
		}
	}
	return urls
}

// feeds says whether dlq is the dead-letter queue of q.
func (q *sqsQueue) feeds(dlq *sqsQueue) bool {
	return q.redrive != nil && q.redrive.DeadLetterTargetArn == dlq.arn
}

func (s *SQS) deleteQueue(q *sqsQueue, _ sqsTarget) (any, error) {
	s.clear(q)
	delete(s.queues, q.name)
	s.deleted[q.name] = s.at
	q.wake() // its long polls find it gone
	return struct{}{}, nil
}

func (s *SQS) purgeQueue(q *sqsQueue, _ sqsTarget) (any, error) {
	if !q.purged.IsZero() && s.at.Before(q.purged.Add(sqsPause)) {
		return nil, sqsError{"PurgeQueueInProgress", "AWS.SimpleQueueService.PurgeQueueInProgress", 403,
			"Only one PurgeQueue operation on " + q.name + " is allowed every 60 seconds."}
	}
	s.clear(q)
	q.purged = s.at
	return struct{}{}, nil
}

// clear deletes every message, those in flight too, oldest first.
func (s *SQS) clear(q *sqsQueue) {
	for q.aging.Len() > 0 {
		m := q.aging.items[0]
		q.remove(m)
		s.tell(Deleted, q, m, 0)
	}
}

type getQueueAttributesInput struct {
	sqsTarget
	AttributeNames []string
}

func (s *SQS) getQueueAttributes(q *sqsQueue, in getQueueAttributesInput) (any, error) {
	all, found := q.attributes(), map[string]string{}
	for _, name := range in.AttributeNames {
		if name == "All" {
			return map[string]any{"Attributes": all}, nil
		}
		if value, ok := all[name]; ok {
			found[name] = value
		} else if _, ok := sqsSettings[name]; !ok {
			return nil, errSQSAttributeName(name)
		}
	}
	if len(found) == 0 {
		return struct{}{}, nil
	}
	return map[string]any{"Attributes": found}, nil
}

type setQueueAttributesInput struct {
	sqsTarget
	Attributes map[string]string
}

func (s *SQS) setQueueAttributes(q *sqsQueue, in setQueueAttributesInput) (any, error) {
	if len(in.Attributes) == 0 {
		return nil, errSQSMissing("Attribute.Name")
	}
	if err := s.configure(q, in.Attributes); err != nil {
		return nil, err
	}
	q.modified = s.at
	return struct{}{}, nil
}
