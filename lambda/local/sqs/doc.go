// Package sqs is an Amazon SQS in memory: a Server over HTTP, as strict as the
// real one, on a clock that jumps, and with its rare faults on order.
package sqs
