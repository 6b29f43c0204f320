package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

const noRedrive = "missing RedrivePolicy of the queue; see dlq"

// askDLQ reads the dead-letter queue of a line. Its queue must have been read before.
func (a *cloud) askDLQ(ctx context.Context, l *line) {
	q := l.queue
	const why = "the queue does not answer"
	l.dlq, l.dlqAnswers = unknown[queue](why), unknown[problem](why)
	switch {
	case !q.is:
		return
	case q.value.dlq.value == "":
		l.dlq, l.dlqAnswers = unknown[queue](noRedrive), unknown[problem](noRedrive)
		return
	}
	l.dlq, l.dlqAnswers = a.queueOf(ctx, q.value.dlq.value)
}

// queueOf reads a queue by its id, region:account:name.
func (a *cloud) queueOf(ctx context.Context, id string) (fact[queue], fact[problem]) {
	region, rest, _ := strings.Cut(id, ":")
	account, name, ok := strings.Cut(rest, ":")
	if !ok || region != a.config.Region {
		found := problem(fmt.Sprintf("expected a queue of region %[2]s, got %.200[1]s", id, a.config.Region))
		return unknown[queue](string(found)), known(found)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	found, err := a.sqs().GetQueueUrl(ctx, &sqs.GetQueueUrlInput{QueueName: &name, QueueOwnerAWSAccountId: &account})
	if err != nil {
		found := problem(fmt.Sprintf("the queue %.80s does not answer: %s", name, sentence(err)))
		return unknown[queue]("the queue does not answer"), known(found)
	}
	return a.queue(ctx, aws.ToString(found.QueueUrl))
}

func (a *cloud) queue(ctx context.Context, url string) (fact[queue], fact[problem]) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := a.sqs().GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll},
	})
	if err != nil {
		const why = "the queue does not answer"
		return unknown[queue](why), known(problem(why + ": " + sentence(err)))
	}
	q, err := readQueue(out.Attributes)
	if err != nil {
		return unknown[queue](err.Error()), known(problem(err.Error()))
	}
	return known(q), known(problem(""))
}

func readQueue(attributes map[string]string) (q queue, err error) {
	number := func(name types.QueueAttributeName) fact[int] {
		n, convErr := strconv.Atoi(attributes[string(name)])
		if convErr != nil {
			err = errors.Join(err, fmt.Errorf("missing %s in the answer of SQS", name))
		}
		return known(n)
	}
	seconds := func(name types.QueueAttributeName) fact[time.Duration] {
		return known(time.Duration(number(name).value) * time.Second)
	}
	arn := attributes[string(types.QueueAttributeNameQueueArn)]
	q = queue{id: queueID(arn, ""), name: arn[strings.LastIndex(arn, ":")+1:],
		visibility: seconds(types.QueueAttributeNameVisibilityTimeout),
		retention:  seconds(types.QueueAttributeNameMessageRetentionPeriod),
		waiting:    number(types.QueueAttributeNameApproximateNumberOfMessages),
		dlq:        known(""), receives: unknown[int](noRedrive),
		fifo: attributes[string(types.QueueAttributeNameFifoQueue)] == "true", allows: known(redriveAllow{}),
		key: attributes[string(types.QueueAttributeNameKmsMasterKeyId)], policy: attributes[string(types.QueueAttributeNamePolicy)]}
	if text := attributes[string(types.QueueAttributeNameRedriveAllowPolicy)]; text != "" {
		var allows redriveAllow
		if q.allows = known(allows); json.Unmarshal([]byte(text), &allows) != nil {
			q.allows = unknown[redriveAllow]("invalid RedriveAllowPolicy in the answer of SQS")
		} else {
			q.allows = known(allows)
		}
	}
	redrive := attributes[string(types.QueueAttributeNameRedrivePolicy)]
	if redrive == "" {
		return q, err
	}
	var policy struct {
		DeadLetterTargetArn string
		MaxReceiveCount     json.Number
	}
	if json.Unmarshal([]byte(redrive), &policy) == nil {
		if n, convErr := strconv.Atoi(policy.MaxReceiveCount.String()); convErr == nil {
			q.dlq, q.receives = known(queueID(policy.DeadLetterTargetArn, "")), known(n)
			return q, err
		}
	}
	return q, errors.Join(err, errors.New("invalid RedrivePolicy in the answer of SQS"))
}
