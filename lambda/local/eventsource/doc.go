// Package eventsource is Lambda's SQS event source mapping: it receives
// batches, invokes a function, and deletes the messages that succeeded.
package eventsource
