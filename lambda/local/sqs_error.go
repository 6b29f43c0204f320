package local

import (
	"errors"
	"fmt"
	"net/http"
)

// sqsError is an error that a client sees. AWS gives it two names: that of the
// shape in the JSON protocol, from which an SDK makes its typed error, and the
// code of the older query protocol, which the SDK shows as the error's code.
type sqsError struct {
	shape, code string
	status      int
	message     string
}

func (e sqsError) Error() string { return e.code + ": " + e.message }

// The errors whose text does not depend on the request.
var (
	errSQSProtocol      = sqsError{"UnknownOperationException", "UnknownOperation", 400, "Only POST with X-Amz-Target AmazonSQS.* and " + sqsContentType + " is understood."}
	errSQSSerialization = sqsError{"SerializationException", "MalformedInput", 400, "The request body is not the JSON of this operation."}
	errSQSTooLarge      = sqsError{"RequestEntityTooLargeException", "RequestEntityTooLarge", 413, "The request is too large."}
	errSQSNoQueue       = sqsError{"QueueDoesNotExist", "AWS.SimpleQueueService.NonExistentQueue", 400, "The specified queue does not exist."}
	errSQSDeletedNow    = sqsError{"QueueDeletedRecently", "AWS.SimpleQueueService.QueueDeletedRecently", 400, "You must wait 60 seconds after deleting a queue before you can create another with the same name."}
	errSQSNotInFlight   = sqsError{"MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight", 400, "The specified message isn't in flight."}
	errSQSOverLimit     = sqsError{"OverLimit", "OverLimit", 403, "Too many messages are in flight."}
	errSQSContents      = sqsError{"InvalidMessageContents", "InvalidMessageContents", 400, "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF."}
	errSQSEmptyBatch    = sqsError{"EmptyBatchRequest", "AWS.SimpleQueueService.EmptyBatchRequest", 400, "There should be at least one entry in the request."}
	errSQSBatchID       = sqsError{"InvalidBatchEntryId", "AWS.SimpleQueueService.InvalidBatchEntryId", 400, "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long."}
)

// errSQSParameter is AWS's InvalidParameterValue with a text of its own.
func errSQSParameter(format string, args ...any) sqsError {
	return sqsError{"InvalidParameterValueException", "InvalidParameterValue", 400, fmt.Sprintf(format, args...)}
}

func errSQSValue(value any, parameter, reason string) sqsError {
	return errSQSParameter("Value %v for parameter %s is invalid. Reason: %s", value, parameter, reason)
}

func errSQSMissing(parameter string) sqsError {
	return sqsError{"MissingRequiredParameterException", "MissingParameter", 400,
		"The request must contain the parameter " + parameter + "."}
}

func errSQSAttributeName(name string) sqsError {
	return sqsError{"InvalidAttributeName", "InvalidAttributeName", 400, "Unknown Attribute " + name + "."}
}

func errSQSAttributeValue(name string) sqsError {
	return sqsError{"InvalidAttributeValue", "InvalidAttributeValue", 400, "Invalid value for the parameter " + name + "."}
}

func errSQSHandle(handle string) sqsError {
	return sqsError{"ReceiptHandleIsInvalid", "ReceiptHandleIsInvalid", 404,
		fmt.Sprintf("The input receipt handle %q is not a valid receipt handle.", handle)}
}

func errSQSNoResource(parameter string) sqsError {
	return sqsError{"ResourceNotFoundException", "ResourceNotFoundException", 404,
		"The resource that you specified for the " + parameter + " parameter doesn't exist."}
}

// sqsRange checks a number that may be left out.
func sqsRange(parameter string, value *int, lowest, highest int) error {
	if value != nil && (*value < lowest || *value > highest) {
		return errSQSValue(*value, parameter, fmt.Sprintf("Must be between %d and %d, if provided.", lowest, highest))
	}
	return nil
}

// sqsErrorResponse is the status and body of an error, and sets the header
// that carries the code of the query protocol.
func sqsErrorResponse(header http.Header, err error) (int, any) {
	var known sqsError
	if !errors.As(err, &known) {
		known = sqsError{"InternalFailure", "InternalFailure", 500, err.Error()}
	}
	fault := ";Sender"
	if known.status >= 500 {
		fault = ";Receiver"
	}
	header.Set("X-Amzn-Query-Error", known.code+fault)
	return known.status, map[string]string{"__type": "com.amazonaws.sqs#" + known.shape, "message": known.message}
}
