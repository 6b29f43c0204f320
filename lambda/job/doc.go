// Package job is the runtime of every function with rows named by its messages. A job is a row
// that needs processing. The runtime claims the rows named by a batch of messages, runs their
// work, decides how each delivery ends, and settles it. Your workload must provide a Work and
// a Store; use package jobtest to test the Store.
//
// # States
//
// The row is the truth; a message only says when to look at it. A row is in one of six states:
//
//	NULL         not queued, or unworkable
//	pending      published, or waiting for a retry; a message is on its way
//	in-progress  claimed by one worker until its lease ends
//	succeeded    done, its results committed
//	failed       given up; the row and a notification record the error and the time
//	cancelled    ended by a person, or skipped; not every table has it
//
// # Transitions
//
// Publish: any state -> pending. Publishing commits pending with a new publish stamp, then
// sends a message with this stamp. If the publisher dies in between, the sweep publishes the
// row again. Publishing takes the row away from its current attempt, and supersedes all earlier
// messages. A table may keep its succeeded and cancelled rows as they are.
//
// Claim: pending, NULL, in-progress with an ended lease, or failed -> in-progress. A failed
// row is claimed only by a redrive, a message sent after the failure. If the sweep failed it
// as lost or crashed, any message may claim it: its arrival proves that the sweep was wrong.
// Each claim increments the row's attempts. That number is the fence: every write of the
// attempt must find the row in-progress with the same number, so an attempt that has lost its
// row changes nothing. Leases are compared with the database's clock only.
//
// Succeed: in-progress -> succeeded. The work commits this status together with its results.
//
// Retry: in-progress -> pending, after a transient failure. The message comes back after the
// backoff.
//
// Park: in-progress -> pending, while a service that the work needs is away. No message comes
// back; see below.
//
// Fail: in-progress -> failed, after a permanent failure, or a transient one on the last
// delivery. The same transaction writes the notification.
//
// Cancel: -> cancelled, by a person. This takes the row away from its attempt and its
// messages. Like succeeded, cancelled is final: only publishing restarts the row. The workload
// decides whether an attempt notices before its next write.
//
// Sweep: a pending row without a message, or an in-progress row without a worker -> pending;
// -> failed if that hasn't helped several times (see package sweep).
//
// # Batches
//
// The runtime claims the rows of a batch in one statement, and the work gets them together, as
// one slice of Tasks. A task ends once, with nil or an error, and its row is settled then. If a
// step of the work panics, fails, or hangs beyond the deadline, only its task is lost
// (TestPanicIsIsolated, TestHungWorkIsAbandoned). Work that doesn't need its batch is a
// function of one row: see Each. For the rest, Waves runs a step for all tasks at once, and
// Together writes several of them in one transaction.
//
// # Suspects
//
// A row is a suspect if its lease ended without a result, even if the sweep has republished
// it: it may have killed its worker. A suspect isn't claimed with its batch. It runs alone,
// after all others have settled and the queue has been told; the suspect with the fewest
// attempts goes first. So a row that kills its worker can take down a batch only once, the
// first time. Two more kinds of delivery are deferred this way: a row locked by another
// transaction, and, on its last delivery, a row held by another worker.
//
// # Leases
//
// A claim lasts until a minute after the invocation, unless you set Runtime.Lease. Then a
// heartbeat (see heartbeat.go) extends the leases of all running work, by their fences, and
// the visibility of their messages, so that a dead worker is replaced within a lease. Work is
// stopped if its fence is lost or its lease can't be extended.
//
// # Database outages
//
// A claim waits for the database as long as the invocation allows, then returns its messages
// to the queue with the backoff, jittered so that they don't all come back at once. A
// settlement is retried, by its fence, until the invocation has to respond
// (TestClaimWaitsForDB, TestSettlingWaitsForDB). If it can't be written, the row stays
// in-progress and its message comes back when the lease ends.
//
// # Outages of a service
//
// Work that needs a model or an OCR that is away is parked: its row is pending and names the
// service, and its message is acknowledged, so the outage costs no delivery however long it
// lasts. The sweep publishes the row once the service is back (see package breaker). A row that
// nobody publishes is overdue after ParkedFor.
//
// # Settlements
//
// Store.Claim either claims a delivery's row or reports why it can't; then the work and its
// write succeed or fail. Only Backoff.Decide turns the result into a settlement, as the table
// shows. The response to SQS starts as "all failed". Only an Ack removes a message from it.
// Ack is decided only after a commit, or when there's provably nothing to do: the row is
// finished, or the message names none.
//
//	result                            row           message
//	malformed: the body isn't an id   -             Ack
//	succeeded                         succeeded     Ack
//	done: succeeded, cancelled, or    -             Ack
//	  failed by an earlier delivery
//	superseded by a later publish     -             Ack
//	missing, delivery 1               -             Retry with the backoff
//	missing, later                    -             Ack
//	unworkable                        NULL, reason  Ack
//	held by a live lease              -             Retry at the lease's end; if last, wait, then DeadLetter
//	busy: the row is locked           -             wait 5 s, then Retry after 5 s; if last, as held
//	early: the retry isn't due        -             Retry when due; if last, work on it
//	transient                         pending       Retry with the backoff, or Retry-After if longer
//	transient, last delivery          failed        DeadLetter
//	permanent, or a panic             failed        Ack
//	parked: a service is away         pending       Ack; the sweep publishes it again
//	lost, and the row is finished     -             Ack
//	lost to another attempt           -             Retry at the lease's end; if last, DeadLetter
//	lost to a publish                 -             Retry, visibility unchanged; if last, Ack,
//	                                                since the row waits for another message
//	not claimed, database down         -             Retry with the backoff; if last, DeadLetter
//	not written, database down         -             Retry at the lease's end; if last, DeadLetter
//
// The only statuses Decide asks to write are pending and failed: the work has already
// committed succeeded, and the claim has set an unworkable row to NULL with its reason.
//
// Work that fails may still have results, such as matches found by rules while the model was
// down. Use a Partial to commit them in the transaction that writes pending or failed
// (TestPartialWithRelease). Everything else stays the same.
//
// If a row failed, Runtime.Notify sends the notifications after all deliveries of the batch
// have settled and before the response, within a time limit. The sweep sends the rest; see
// package notify.
//
// Retry changes the message's visibility and leaves it in the response. DeadLetter sets the
// visibility to 0 and leaves the message in the response too, so that SQS moves the message to
// the dead-letter queue at its next receive. The messages of a dead worker come back after the
// queue's visibility timeout.
package job
