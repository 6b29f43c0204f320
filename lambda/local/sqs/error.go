package sqs

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// apiError is an error of a call, as the client gets it. The code comes from AWS's
// older query protocol, and the SDKs show it; the shape is the name in the JSON
// protocol, from which they make typed errors.
type apiError struct {
	code, message string
	status        int
}

// Error returns the code and the message.
func (e apiError) Error() string { return e.code + ": " + e.message }

const (
	codePrefix  = "AWS.SimpleQueueService." // of most codes that only SQS has
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

// shape returns the code without its prefix, except for the codes listed here.
func (e apiError) shape() string {
	name := strings.TrimPrefix(e.code, codePrefix)
	return cmp.Or(map[string]string{
		"NonExistentQueue":   "QueueDoesNotExist",
		"QueueAlreadyExists": "QueueNameExists",
		codeInvalid:          "InvalidParameterValueException",
		codeMissing:          "MissingRequiredParameterException",
	}[name], name)
}

// at returns the side at fault.
func (e apiError) at() string {
	if e.status < 500 {
		return "Sender"
	}
	return "Receiver"
}

// refuse is one rule: an error when it is broken, else nil.
func refuse(broken bool, code, format string, args ...any) error {
	if !broken {
		return nil
	}
	return apiError{code, fmt.Sprintf(format, args...), 400}
}

// checkRange is the rule for a number that may be left out.
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

// apiErrorOf is an error as the client sees it.
func apiErrorOf(err error) apiError {
	known := errInternal
	errors.As(err, &known)
	return known
}
