package sqs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// apiError is an error response. The code comes from AWS's older query protocol and is shown
// by the SDKs; shape returns the name used in the JSON protocol, so SDKs build typed errors
// from it.
type apiError struct {
	code, message string
	status        int
}

// Error returns "code: message".
func (e apiError) Error() string { return e.code + ": " + e.message }

const (
	codePrefix  = "AWS.SimpleQueueService." // prefix of most SQS-specific codes
	codeInvalid = "InvalidParameterValue"
	codeMissing = "MissingParameter"
)

var (
	errNoQueue     = apiError{codePrefix + "NonExistentQueue", "The specified queue does not exist.", 400}
	errInternal    = apiError{"InternalFailure", "The request processing has failed because of an unknown error.", 500}
	errUnavailable = apiError{"ServiceUnavailable", "The request has failed due to a temporary failure of the server.",
		503}
	errEntry = apiError{"InternalError", "We encountered an internal error. Please try again.", 500}
)

// shape returns the code without its prefix, or its JSON name where they differ.
func (e apiError) shape() string {
	name := strings.TrimPrefix(e.code, codePrefix)
	return cmp.Or(map[string]string{
		"NonExistentQueue":   "QueueDoesNotExist",
		"QueueAlreadyExists": "QueueNameExists",
		codeInvalid:          "InvalidParameterValueException",
		codeMissing:          "MissingRequiredParameterException",
	}[name], name)
}

// at returns the side at fault: Sender or Receiver.
func (e apiError) at() string {
	if e.status < 500 {
		return "Sender"
	}
	return "Receiver"
}

// refuse returns an error if the rule is broken, else nil.
func refuse(broken bool, code, format string, args ...any) error {
	if !broken {
		return nil
	}
	return apiError{code, fmt.Sprintf(format, args...), 400}
}

// checkRange checks an optional number.
func checkRange(parameter string, value *int, lowest, highest int) error {
	return refuse(value != nil && (valueOr(value, 0) < lowest || valueOr(value, 0) > highest), codeInvalid,
		"Value for parameter %s is invalid. Reason: Must be between %d and %d, if provided.",
		parameter, lowest, highest)
}

func valueOr(value *int, fallback int) int {
	if value == nil {
		return fallback
	}
	return *value
}

// apiErrorOf returns err as the client sees it.
func apiErrorOf(err error) apiError {
	known := errInternal
	errors.As(err, &known)
	return known
}
