package local

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sqsReceived is a message as the client that receives it sees it.
type sqsReceived struct {
	MessageId              string
	ReceiptHandle          string
	Body                   string
	MD5OfBody              string
	Attributes             map[string]string              `json:",omitempty"`
	MessageAttributes      map[string]sqsMessageAttribute `json:",omitempty"`
	MD5OfMessageAttributes string                         `json:",omitempty"`
}

func (m *sqsMessage) seenBy(q *sqsQueue, in receiveMessageInput) sqsReceived {
	attributes := sqsChosen(m.attrs, func(name string) bool { return sqsAsks(in.MessageAttributeNames, name) })
	return sqsReceived{
		MessageId: m.id, ReceiptHandle: q.handle(m), Body: m.body, MD5OfBody: sqsMD5([]byte(m.body)),
		Attributes: sqsChosen(m.systemAttributes(q), func(name string) bool {
			return slices.Contains(in.MessageSystemAttributeNames, name) || slices.Contains(in.MessageSystemAttributeNames, "All") ||
				slices.Contains(in.AttributeNames, name) || slices.Contains(in.AttributeNames, "All")
		}),
		MessageAttributes: attributes, MD5OfMessageAttributes: sqsAttributesMD5(attributes),
	}
}

// systemAttributes are all there are; what is "" is not set.
func (m *sqsMessage) systemAttributes(q *sqsQueue) map[string]string {
	all := map[string]string{
		"SenderId":                         sqsAccount,
		"SentTimestamp":                    strconv.FormatInt(m.sent.UnixMilli(), 10),
		"ApproximateFirstReceiveTimestamp": strconv.FormatInt(m.firstReceived.UnixMilli(), 10),
		"ApproximateReceiveCount":          strconv.Itoa(m.receives),
		"DeadLetterQueueSourceArn":         m.sourceArn,
		"MessageGroupId":                   m.group,
		"MessageDeduplicationId":           m.dedup,
	}
	if q.fifo {
		all["SequenceNumber"] = sqsSequence(m.arrival)
	}
	if trace := m.system["AWSTraceHeader"].StringValue; trace != nil {
		all["AWSTraceHeader"] = *trace
	}
	for name, value := range all {
		if value == "" {
			delete(all, name)
		}
	}
	return all
}

// sqsAsks: by name, by prefix ("order.*") or all of them ("All", ".*").
func sqsAsks(wanted []string, name string) bool {
	return slices.ContainsFunc(wanted, func(w string) bool {
		prefix, isPrefix := strings.CutSuffix(w, ".*")
		return w == name || w == "All" || isPrefix && strings.HasPrefix(name, prefix)
	})
}

func sqsChosen[V any](all map[string]V, wanted func(string) bool) map[string]V {
	chosen := map[string]V{}
	for name, value := range all {
		if wanted(name) {
			chosen[name] = value
		}
	}
	return chosen
}

// handle is the receipt handle of the latest receive of m.
func (q *sqsQueue) handle(m *sqsMessage) string {
	return base64.URLEncoding.EncodeToString(fmt.Appendf(nil, "%s %s %d", q.secret, m.id, m.receives))
}

// open reads a receipt handle: the message, nil if it is gone, and whether
// the handle is that of its latest receive.
func (q *sqsQueue) open(handle string) (m *sqsMessage, latest bool, err error) {
	if handle == "" {
		return nil, false, errSQSMissing("ReceiptHandle")
	}
	plain, err := base64.URLEncoding.DecodeString(handle)
	parts := strings.Split(string(plain), " ")
	if err != nil || len(parts) != 3 || parts[0] != q.secret {
		return nil, false, errSQSHandle(handle)
	}
	m = q.messages[parts[1]]
	return m, m != nil && strconv.Itoa(m.receives) == parts[2], nil
}
