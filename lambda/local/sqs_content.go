package local

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// sqsSizeLimit is the largest message, its attributes included, and the
// largest sum of a batch, in bytes: Amazon SQS developer guide, quotas.
const sqsSizeLimit = 1 << 20

// sqsMessageAttribute is a message attribute as it crosses the wire.
type sqsMessageAttribute struct {
	DataType         string
	StringValue      *string  `json:",omitempty"`
	BinaryValue      []byte   `json:",omitempty"`
	StringListValues []string `json:",omitempty"`
	BinaryListValues [][]byte `json:",omitempty"`
}

func (a sqsMessageAttribute) isBinary() bool { return strings.HasPrefix(a.DataType, "Binary") }

func (a sqsMessageAttribute) value() []byte {
	if a.isBinary() {
		return a.BinaryValue
	}
	if a.StringValue == nil {
		return nil
	}
	return []byte(*a.StringValue)
}

// sqsValidText: the characters that SQS accepts in a body and in a string
// attribute. What is no UTF-8 has become U+FFFD before it gets here.
func sqsValidText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
	})
}

// sqsSize is what counts towards the size limits.
func sqsSize(body string, attributes map[string]sqsMessageAttribute) int {
	size := len(body)
	for name, a := range attributes {
		size += len(name) + len(a.DataType) + len(a.value())
	}
	return size
}

var (
	sqsAttributeName  = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	sqsReservedPrefix = regexp.MustCompile(`(?i)^(aws|amazon)\.`)
	sqsDataType       = regexp.MustCompile(`^(String|Number|Binary)(\..+)?$`)
)

// sqsCheckAttributes applies the rules of the developer guide, message
// metadata.
func sqsCheckAttributes(attributes map[string]sqsMessageAttribute) error {
	if len(attributes) > 10 {
		return errSQSParameter("Number of message attributes [%d] exceeds the allowed maximum [10].", len(attributes))
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if len(name) > 256 || !sqsAttributeName.MatchString(name) || sqsReservedPrefix.MatchString(name) {
			return errSQSParameter("The message attribute name '%s' is invalid. Attribute name can contain A-Z, a-z, 0-9, underscore (_), "+
				"hyphen (-), and period (.) characters, must not start or end with a period or have two in succession, "+
				"and must not start with AWS. or Amazon.", name)
		}
		if err := attributes[name].check(name); err != nil {
			return err
		}
	}
	return nil
}

func (a sqsMessageAttribute) check(name string) error {
	switch {
	case len(a.DataType) > 256 || !sqsDataType.MatchString(a.DataType):
		return errSQSParameter("The message attribute '%s' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.", name)
	case a.StringListValues != nil || a.BinaryListValues != nil:
		return errSQSParameter("Message attribute list values in SendMessage operation are not supported.")
	case len(a.value()) == 0 || a.isBinary() == (a.StringValue != nil):
		return errSQSParameter("The message attribute '%s' must contain non-empty message attribute value for message attribute type '%s'.", name, a.DataType)
	case !a.isBinary() && !sqsValidText(*a.StringValue):
		return errSQSContents
	}
	if strings.HasPrefix(a.DataType, "Number") {
		if _, err := strconv.ParseFloat(*a.StringValue, 64); err != nil {
			return errSQSParameter("Can't cast the value of message (user) attribute '%s' to a number.", name)
		}
	}
	return nil
}

// sqsCheckSystem: the one system attribute there is, for X-Ray.
func sqsCheckSystem(system map[string]sqsMessageAttribute) error {
	for name, a := range system {
		if name != "AWSTraceHeader" || a.DataType != "String" || a.StringValue == nil || *a.StringValue == "" {
			return errSQSParameter("Message system attribute name '%s' is invalid, or its value is no non-empty string.", name)
		}
	}
	return nil
}

func sqsMD5(data []byte) string {
	sum := md5.Sum(data)
	return hex.EncodeToString(sum[:])
}

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

// sqsSequence is the SequenceNumber of a FIFO queue's message: 20 digits.
func sqsSequence(arrival int64) string { return fmt.Sprintf("%020d", arrival) }
