package sqs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// sqsError is an error that a client sees. Its code is that of AWS's older
// query protocol, which the SDKs show; shape is its name in the JSON protocol,
// from which they make typed errors.
type sqsError struct {
	code, message string
	status        int
}

func (e sqsError) Error() string { return e.code + ": " + e.message }

const (
	sqsPrefix  = "AWS.SimpleQueueService." // of most codes that only SQS has
	sqsInvalid = "InvalidParameterValue"
	sqsMissing = "MissingParameter"
)

var (
	errSQSNoQueue     = sqsError{sqsPrefix + "NonExistentQueue", "The specified queue does not exist.", 400}
	errSQSInternal    = sqsError{"InternalFailure", "The request processing has failed because of an unknown error.", 500}
	errSQSUnavailable = sqsError{"ServiceUnavailable", "The request has failed due to a temporary failure of the server.", 503}
	errSQSEntry       = sqsError{"InternalError", "We encountered an internal error. Please try again.", 500}
)

// shape differs from the code by more than the prefix for these.
func (e sqsError) shape() string {
	name := strings.TrimPrefix(e.code, sqsPrefix)
	return cmp.Or(map[string]string{
		"NonExistentQueue":   "QueueDoesNotExist",
		"QueueAlreadyExists": "QueueNameExists",
		sqsInvalid:           "InvalidParameterValueException",
		sqsMissing:           "MissingRequiredParameterException",
	}[name], name)
}

// at says whose fault the error is.
func (e sqsError) at() string {
	if e.status < 500 {
		return "Sender"
	}
	return "Receiver"
}

// sqsRefuse is one rule: an error when it is broken, else nil.
func sqsRefuse(broken bool, code, format string, args ...any) error {
	if !broken {
		return nil
	}
	return sqsError{code, fmt.Sprintf(format, args...), 400}
}

// sqsRange is the rule for a number that may be left out.
func sqsRange(parameter string, value *int, lowest, highest int) error {
	return sqsRefuse(value != nil && (sqsOr(value, 0) < lowest || sqsOr(value, 0) > highest), sqsInvalid,
		"Value for parameter %s is invalid. Reason: Must be between %d and %d, if provided.", parameter, lowest, highest)
}

func sqsOr(value *int, fallback int) int {
	if value == nil {
		return fallback
	}
	return *value
}

// sqsErrorOf is an error as the client sees it.
func sqsErrorOf(err error) sqsError {
	known := errSQSInternal
	errors.As(err, &known)
	return known
}
