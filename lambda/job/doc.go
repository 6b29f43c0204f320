// Package job is the runtime of every function that a queue feeds: it claims
// the work that messages name, runs it, decides how each delivery ends and
// settles it. The work itself and the tables, in
// package postgres, are behind two small ports: Work and Store.
//
// # The life of a row
//
// A row is one piece of work of any workload, in its table. The row is the truth; a
// message only gives the time to look at it.
//
//	NULL         not queued
//	pending      published, or waiting for a retry; a message is under way
//	in-progress  claimed by one worker until its lease ends
//	succeeded    done
//	failed       given up; the row has the error and the time, a notification both
//	cancelled    ended by a person, or skipped; in the tables of workloads that have it
//
// Publishing commits pending together with a publish stamp, and then sends a
// message that carries the stamp. A publisher that dies in between leaves a
// pending row without a message; the sweep publishes it again. Publishing is
// allowed in every state and takes the row away from the attempt that has it.
//
// Claiming moves pending, NULL, in-progress with an ended lease, and failed
// with a message sent after the failure (a redrive) to in-progress. A row
// that the sweep failed, as lost or crashed, is claimed for any message that
// still comes. Claiming raises the number of attempts, and that number is the fence:
// every later write of the attempt has the condition that the attempts are
// still this number and the status still in-progress, so an attempt that lost
// the row changes nothing any more. Only the database's clock decides
// about leases.
//
// A person who cancels work takes its rows away from their attempts and messages:
// cancelled is an end, like succeeded, and only publishing begins again after it.
// Whether an attempt notices before its next write is up to the workload.
//
// A row whose lease ended without a result may have killed its worker.
// It is a suspect, also when the sweep has published it again: it is not claimed
// with its batch but alone, after all others have settled and the queue has
// their settlements; of several suspects, the one with the fewest attempts comes
// first. So it can interrupt its batch-mates once, by surprise, and never again.
// Two other kinds of delivery are deferred in the same way: one whose row is
// locked, and, on its last delivery, one whose row another worker holds.
//
// # Work that takes longer than a claim
//
// A claim lasts until the end of the invocation, unless Runtime.Lease is shorter.
// Then a heartbeat (heartbeat.go) extends the leases of everything at work, by
// their fences, and the visibility of the messages: a worker that dies is replaced
// within a lease. Work that has lost its fence, or whose lease could not be
// extended, is stopped.
//
// # When the database is away
//
// A claim waits for the database as long as the invocation allows, and then
// gives its messages back by the schedule, not all at the same time. A
// settlement is tried again, by its fence, until the invocation has to respond
// (TestClaimWaitsForTheDatabase, TestSettlingWaitsForTheDatabase). If it could
// not be written, the row stays in progress, and its message comes back when
// the lease ends.
//
// # How a delivery ends
//
// Store.Claim finds whether a delivery is claimed, and if not, why; the work and
// the write after it succeed or fail. Backoff.Decide alone turns that into an
// end. The response to SQS starts as "all failed"; a message leaves it only by
// an Ack, and an Ack is decided only after a commit, or when the row proves that
// there is nothing to do.
//
//	found or happened                 row           message
//	body not an id                    -             Ack
//	success                           succeeded     Ack
//	done: succeeded, cancelled, or    -             Ack
//	  failed by an earlier delivery
//	superseded by a later publish     -             Ack
//	missing, delivery 1               -             Retry by the schedule
//	missing, later                    -             Ack
//	unworkable                        NULL, reason  Ack
//	held by a live lease              -             Retry at the lease's end; when last, waited for,
//	                                                then DeadLetter
//	busy: its row is locked           -             waited for 5 s, then Retry after 5 s; when last, as held
//	too early: a retry not due yet    -             Retry when it is due; when last, worked on
//	transient                         pending       Retry by the schedule, or Retry-After if longer
//	transient, last delivery          failed        DeadLetter
//	permanent, a panic too            failed        Ack
//	lost, and it is over              -             Ack
//	lost to another attempt           -             Retry at the lease's end; DeadLetter when last
//	lost to a publish                 -             Retry with the visibility as it is; Ack when last,
//	                                                because it waits for another message
//	not claimed, database away        -             Retry by the schedule; DeadLetter when last
//	not written, database away        -             Retry at the lease's end; DeadLetter when last
//
// Of these statuses Decide returns pending and failed only. The work has committed
// succeeded together with its results, and the claim has set an unworkable
// row to NULL, with the reason.
//
// Work that fails may have results all the same: what is known without the model
// that did not answer. It returns a Partial, and the results are committed in the
// transaction that writes pending or failed
// (TestPartialResultsAreWrittenWithTheRelease). Nothing else changes.
//
// When all deliveries of a batch are settled and a row of it failed, the
// hook Runtime.Notify sends the notifications, with a time limit, before the
// response to SQS. The sweep sends the ones that it could not send.
//
// Retry changes the message's visibility and leaves it in the response.
// DeadLetter sets visibility 0 and leaves it there: at the next receive SQS moves
// it to the dead-letter queue. The messages of a dead worker come back after the
// queue's own visibility timeout. The sweep repairs rows that stay in
// progress after their worker died, and pending ones whose message got lost.
package job
