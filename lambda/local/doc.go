// Package local runs all of Matchbook on one machine, as close to AWS as possible. A Stack
// joins a strict Amazon SQS (local/sqs), a database and, for each function, its queues,
// Lambda's event source mapping (local/eventsource) and the Lambda Runtime API around the real
// bootstrap (local/lambdahost). The clocks of queues and database skip the waits (local/clock,
// local/simclock). Use a Session to run a Stack in a command: it shows progress, waits for the
// end and closes everything.
//
// Every part is as strict as the original: it refuses requests refused by AWS, and loses the
// same state when a process dies. Deployed functions use none of it. The stack's tests are in
// lambda/acceptance.
package local
