// Package local runs the whole line on one machine, as much like AWS as
// possible. A Stack joins a strict Amazon SQS (local/sqs), a database, and for
// each function its queues, Lambda's event source mapping (local/eventsource)
// and the Lambda Runtime API around the real bootstrap (local/lambdahost). The
// clocks of queues and database jump over the waits (local/clock,
// local/simclock). A Session is a Stack for a command: it shows the progress,
// waits for the end, and closes what the run opened.
//
// Every part is as strict as its original: it refuses what AWS refuses, and
// loses what AWS loses when a process dies. The deployed functions use none of
// it. The tests of the stack are in lambda/acceptance.
package local
