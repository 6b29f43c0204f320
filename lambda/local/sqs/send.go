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

// sizeLimit is the maximum size in bytes of a message with its attributes, and of a batch:
// Amazon SQS developer guide, quotas.
const sizeLimit = 1 << 20

// groupIDForm allows letters, digits and punctuation: all visible ASCII.
var groupIDForm = regexp.MustCompile(`^[!-~]{1,128}$`)

// size returns the size counted towards the limits.
func (e entry) size() int {
	size := len(e.MessageBody)
	for name, a := range e.MessageAttributes {
		size += len(name) + len(a.DataType) + len(a.value())
	}
	return size
}

func (s *Server) send(q *queue, in entry) (entryResult, error) {
	if err := in.check(q); err != nil {
		return entryResult{}, err
	}
	m := s.newMessage(message{body: in.MessageBody, attributes: in.MessageAttributes,
		group: in.MessageGroupId, dedup: in.MessageDeduplicationId})
	accepted := q.accept(m)
	if accepted == m {
		delay := time.Duration(valueOr(in.DelaySeconds, q.number("DelaySeconds"))) * time.Second
		m.visibleAt = s.at.Add(delay)
		q.add(m)
		s.report(Sent, q, m, delay)
	}
	return entryResult{in.Id, accepted.id, md5Hex([]byte(m.body)), attributesMD5(m.attributes)}, nil
}

// check checks a message for q.
func (e entry) check(q *queue) error {
	limit := q.number("MaximumMessageSize")
	return cmp.Or(
		refuse(e.MessageBody == "", codeMissing, "The request must contain the parameter MessageBody."),
		refuse(e.size() > limit, codeInvalid,
			"One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", limit),
		checkText(e.MessageBody),
		checkRange("DelaySeconds", e.DelaySeconds, 0, 900),
		checkAttributes(e.MessageAttributes),
		refuse(e.MessageGroupId != "" && !groupIDForm.MatchString(e.MessageGroupId), codeInvalid,
			"MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."),
		refuse(!q.fifo && e.MessageDeduplicationId != "",
			codeInvalid, "Only FIFO queues have a MessageDeduplicationId."),
		refuse(q.fifo && e.MessageGroupId == "", codeMissing, "The request must contain the parameter MessageGroupId."),
		refuse(q.fifo && e.MessageDeduplicationId == "" && q.settings["ContentBasedDeduplication"] != "true",
			codeInvalid,
			"The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"),
		refuse(q.fifo && valueOr(e.DelaySeconds, 0) != 0, codeInvalid,
			"A message of a FIFO queue has no delay of its own."))
}

// accept returns the message repeated by m within the last five minutes, or else m.
func (q *queue) accept(m *message) *message {
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

// messageAttribute is a message attribute in JSON. The API also defines lists, but SQS refuses
// them as values, and so does checkAttributes.
type messageAttribute struct {
	DataType    string
	StringValue string `json:",omitempty"`
	BinaryValue []byte `json:",omitempty"`
}

func (a messageAttribute) isBinary() bool { return strings.HasPrefix(a.DataType, "Binary") }

func (a messageAttribute) value() []byte {
	if a.isBinary() {
		return a.BinaryValue
	}
	return []byte(a.StringValue)
}

// checkText checks a body or string attribute. Invalid UTF-8 is already U+FFFD here.
func checkText(text string) error {
	return refuse(strings.ContainsFunc(text, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	}), "InvalidMessageContents",
		"Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.")
}

var (
	attributeNameForm = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	reservedPrefix    = regexp.MustCompile(`(?i)^(aws|amazon)\.`)
	dataTypeForm      = regexp.MustCompile(`^(String|Number|Binary)(\..+)?$`)
)

// checkAttributes applies the rules under "message metadata" in the developer guide.
func checkAttributes(attributes map[string]messageAttribute) error {
	err := refuse(len(attributes) > 10, codeInvalid,
		"Number of message attributes [%d] exceeds the allowed maximum [10].", len(attributes))
	for name, a := range attributes {
		_, notNumber := strconv.ParseFloat(a.StringValue, 64)
		err = cmp.Or(err,
			refuse(len(name) > 256 || !attributeNameForm.MatchString(name) || reservedPrefix.MatchString(name),
				codeInvalid,
				"The message attribute name '%s' is invalid.", name),
			refuse(len(a.DataType) > 256 || !dataTypeForm.MatchString(a.DataType), codeInvalid,
				"The message attribute '%s' has an invalid message attribute type.", name),
			refuse(len(a.value()) == 0, codeInvalid,
				"The message attribute '%s' must contain non-empty message attribute value "+
					"for message attribute type '%s'.", name, a.DataType),
			refuse(strings.HasPrefix(a.DataType, "Number") && notNumber != nil, codeInvalid,
				"Can't cast the value of message (user) attribute '%s' to a number.", name),
			checkText(a.StringValue))
	}
	return err
}

func md5Hex(data []byte) string { return fmt.Sprintf("%x", md5.Sum(data)) }

// attributesMD5 implements "Calculating the MD5 message digest for message attributes" in the
// developer guide: by name, then name, type and value, each after its length; the value also
// after a byte for text or binary. Without attributes it is empty.
func attributesMD5(attributes map[string]messageAttribute) string {
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
	return md5Hex(data)
}
