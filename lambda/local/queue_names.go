package local

import (
	"errors"
	"regexp"
	"strings"

	"matchbook/lambda/manifest"
)

// QueueSettings returns the function whose settings a queue gets: the one of
// the queue's name, or else match.
func QueueSettings(functions []manifest.Function, name string) manifest.Function {
	for _, f := range functions {
		if f.Name == name {
			return f
		}
	}
	return manifest.Match
}

// queueName leaves room for the dead-letter queue's suffix within SQS's 80
// characters, and accepts no FIFO queues: a mapping treats them differently.
var queueName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,76}$`)

// CheckQueueName refuses a name that CreateQueue cannot use.
func CheckQueueName(name string) error {
	if !queueName.MatchString(name) || strings.HasSuffix(name, dlqSuffix) {
		return errors.New("a name has at most 76 letters, digits, hyphens and underscores, and does not end in " +
			dlqSuffix + ", because that queue is made with it")
	}
	return nil
}
