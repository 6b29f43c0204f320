package sqs

import (
	"cmp"
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sqsSizeLimit is the largest message, its attributes included, and the
// largest sum of a batch, in bytes: Amazon SQS developer guide, quotas.
const sqsSizeLimit = 1 << 20

// sqsGroupID has letters, digits and punctuation: all of ASCII that is seen.
var sqsGroupID = regexp.MustCompile(`^[!-~]{1,128}$`)

// size is what counts towards the size limits.
func (e sqsEntry) size() int {
	size := len(e.MessageBody)
	for name, a := range e.MessageAttributes {
		size += len(name) + len(a.DataType) + len(a.value())
	}
	return size
}

func (s *Server) send(q *sqsQueue, in sqsEntry) (sqsResult, error) {
	if err := in.check(q); err != nil {
		return sqsResult{}, err
	}
	m := s.newMessage(sqsMessage{body: in.MessageBody, attributes: in.MessageAttributes, group: in.MessageGroupId, dedup: in.MessageDeduplicationId})
	accepted := q.accept(m)
	if accepted == m {
		delay := time.Duration(sqsOr(in.DelaySeconds, q.number("DelaySeconds"))) * time.Second
		m.visibleAt = s.at.Add(delay)
		q.add(m)
		s.tell(Sent, q, m, delay)
	}
	return sqsResult{in.Id, accepted.id, sqsMD5([]byte(m.body)), sqsAttributesMD5(m.attributes)}, nil
}

// check checks a message that is to go into q.
func (e sqsEntry) check(q *sqsQueue) error {
	limit := q.number("MaximumMessageSize")
	return cmp.Or(
		sqsRefuse(e.MessageBody == "", sqsMissing, "The request must contain the parameter MessageBody."),
		sqsRefuse(e.size() > limit, sqsInvalid, "One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", limit),
		sqsCheckText(e.MessageBody),
		sqsRange("DelaySeconds", e.DelaySeconds, 0, 900),
		sqsCheckAttributes(e.MessageAttributes),
		sqsRefuse(e.MessageGroupId != "" && !sqsGroupID.MatchString(e.MessageGroupId), sqsInvalid,
			"MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."),
		sqsRefuse(!q.fifo && e.MessageDeduplicationId != "", sqsInvalid, "Only FIFO queues have a MessageDeduplicationId."),
		sqsRefuse(q.fifo && e.MessageGroupId == "", sqsMissing, "The request must contain the parameter MessageGroupId."),
		sqsRefuse(q.fifo && e.MessageDeduplicationId == "" && q.settings["ContentBasedDeduplication"] != "true", sqsInvalid,
			"The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"),
		sqsRefuse(q.fifo && sqsOr(e.DelaySeconds, 0) != 0, sqsInvalid, "A message of a FIFO queue has no delay of its own."))
}

// accept returns the message of the last five minutes that m repeats, or m.
func (q *sqsQueue) accept(m *sqsMessage) *sqsMessage {
	if !q.fifo {
		return m
	}
	if m.dedup == "" {
		m.dedup = fmt.Sprintf("%x", sha256.Sum256([]byte(m.body)))
	}
	if earlier, ok := q.accepted[m.dedup]; ok && m.sent.Before(earlier.sent.Add(5*time.Minute)) {
		return earlier
	}
	q.accepted[m.dedup] = m
	return m
}

// sqsMessageAttribute is a message attribute as it crosses the wire. The lists
// that the API also has are refused by SQS, being no value.
type sqsMessageAttribute struct {
	DataType    string
	StringValue string `json:",omitempty"`
	BinaryValue []byte `json:",omitempty"`
}

func (a sqsMessageAttribute) isBinary() bool { return strings.HasPrefix(a.DataType, "Binary") }

func (a sqsMessageAttribute) value() []byte {
	if a.isBinary() {
		return a.BinaryValue
	}
	return []byte(a.StringValue)
}

// sqsCheckText is the rule for a body and for a string attribute. What is no
// UTF-8 has become U+FFFD before it gets here.
func sqsCheckText(text string) error {
	return sqsRefuse(strings.ContainsFunc(text, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	}), "InvalidMessageContents", "Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.")
}

var (
	sqsAttributeName  = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	sqsReservedPrefix = regexp.MustCompile(`(?i)^(aws|amazon)\.`)
	sqsDataType       = regexp.MustCompile(`^(String|Number|Binary)(\..+)?$`)
)

// sqsCheckAttributes applies the rules of the developer guide, message
// metadata.
func sqsCheckAttributes(attributes map[string]sqsMessageAttribute) error {
	err := sqsRefuse(len(attributes) > 10, sqsInvalid, "Number of message attributes [%d] exceeds the allowed maximum [10].", len(attributes))
	for name, a := range attributes {
		_, notNumber := strconv.ParseFloat(a.StringValue, 64)
		err = cmp.Or(err,
			sqsRefuse(len(name) > 256 || !sqsAttributeName.MatchString(name) || sqsReservedPrefix.MatchString(name), sqsInvalid, "The message attribute name '%s' is invalid.", name),
			sqsRefuse(len(a.DataType) > 256 || !sqsDataType.MatchString(a.DataType), sqsInvalid, "The message attribute '%s' has an invalid message attribute type.", name),
			sqsRefuse(len(a.value()) == 0, sqsInvalid, "The message attribute '%s' must contain non-empty message attribute value for message attribute type '%s'.", name, a.DataType),
			sqsRefuse(strings.HasPrefix(a.DataType, "Number") && notNumber != nil, sqsInvalid, "Can't cast the value of message (user) attribute '%s' to a number.", name),
			sqsCheckText(a.StringValue))
	}
	return err
}

func sqsMD5(data []byte) string { return fmt.Sprintf("%x", md5.Sum(data)) }

// sqsAttributesMD5 is the digest of the developer guide, "Calculating the MD5
// message digest for message attributes": by name, each of name, type and
// value after its length, the value after a byte that tells text from binary.
// It is empty if there are no attributes.
func sqsAttributesMD5(attributes map[string]sqsMessageAttribute) string {
	if len(attributes) == 0 {
		return ""
	}
	var data []byte
	counted := func(field []byte) {
		data = binary.BigEndian.AppendUint32(data, uint32(len(field)))
		data = append(data, field...)
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		counted([]byte(name))
		counted([]byte(a.DataType))
		kind := byte(1)
		if a.isBinary() {
			kind = 2
		}
		data = append(data, kind)
		counted(a.value())
	}
	return sqsMD5(data)
}
