// Package match finds the documents that belong together: an order and its invoice, a delivery
// and its receipt, a credit note and the invoice it corrects.
//
// # From a document to its matches
//
// Matcher.Match is a job.Work: it handles the attempts of a batch together, in six steps. Each
// read and write is one statement or transaction for all of them, or for all of a tenant; if it
// fails, each document has it alone. Whatever else happens to a document, an error, a panic or
// a slow answer, is only its own end (TestBatchEndsEach in postgres).
//
//	load     Store.Load reads the document. score.Read normalises its companies, numbers, items
//	         and amounts, so that they can be compared.
//	look up  Store.Candidates stores the normalised form and reads the block: the tenant's
//	         documents with a common key (of each key the nearest in time), the documents it
//	         cites or is cited by, and similar texts of the same company (block.go).
//	score    Package score collects the evidence for and against each candidate. It looks only
//	         at the two documents.
//	decide   Package rules adds the competition: the other pairs of the two documents. The pair
//	         is then matched, undecided or dropped.
//	ask      A model judges the undecided pairs (ask.go, prompt.go). Without a model they
//	         become suggestions for people.
//	write    Store.Write stores pairs, matches and suggestions, and sets the document
//	         succeeded, in one fenced transaction.
//
// A person's verdict overrules both rules and model, for ever (rules.Verdict).
//
// # Asking a model
//
// The competition is known only inside the transaction of Store.Write. The tenant's other
// writers wait for that transaction, so it must not wait for a model. Match therefore writes in
// turns:
//
//   - Write reads the blocks again and scores the changed candidates. It leaves out a document
//     with other keys by now, because the identities of its supplier's name changed. Match reads
//     its block again before its next turn.
//   - Write lets the rules decide, with the answers so far (rules.Consult). It leaves out documents with
//     a question that is still open. Match asks the model outside a transaction, and the next
//     turn has the answer.
//   - Write commits the others together.
//
// So documents without a question are written first, in one transaction, and never wait for a
// model. The ones with a question follow as they are answered: an answer waits for others of its
// tenant at most a second (job.Waves), so that a slow one doesn't keep the others from being
// written before the function's deadline.
//
// A question contains the document and its undecided pairs, the best 20 at most, each with its
// competition on both sides in our words: documents that belong to one of the two beyond
// doubt, others that fit as well, and the quantity left (rules.Rivals), and the documents to
// which it belongs already (rules.Known). The model writes its evidence about each candidate
// first, then the verdict (system.go).
//
// Of two documents, the later one in business asks about their pair. Each pair is asked about
// once, because an answer counts while the evidence of the two documents is the same: the next
// question of the document shows it and asks about the others (TestPairIsAskedOnce). It is kept
// while the rules decide the pair. A write that opens a pair without an answer publishes the
// document that asks. A repeated question is answered from the database, because package llm
// keeps each answer, with its prompt version, before Match reads it.
//
// An attempt has at most 10 turns and 3 calls of the model. After that, or if an answer
// cannot be read, it fails as transient: a failure never counts as "no match".
//
// # When a model fails
//
// The document is pending again or failed, as package job decides. Store.Write writes
// the rules' results in the same transaction. The document then competes like any other, and
// its unanswered pairs are marked as owed. The next attempt asks only about those: after a
// retry, or when a person publishes the failed documents again.
//
// An embedder that may answer later is handled the same way. If the embedder refuses the
// document for good, Match logs a line and goes on without an embedding; the reason is kept,
// and explain prints it.
//
// # Guarantees
//
//   - The score of two documents depends only on the two, and is the same from both sides
//     (TestScoreIsSymmetric in score). Whether they match depends only on the pairs
//     of the two (TestOtherPairsAreIrrelevant in rules). So after every write the
//     matches are a function of the documents matched so far, in whatever order they arrived
//     (TestArrivalOrderIsIrrelevant, TestArrivalOrderWithModel,
//     TestArrivalOrderWithEmbeddings). This holds even where a key has more
//     documents than a search reads: a pair with too many documents between its two is
//     deleted, unless one cites the other or a person decided about it
//     (TestPairsOutOfReach in postgres; see key.go there for the exceptions).
//     Matching a document again changes nothing (TestMatchIsIdempotent in postgres).
//   - A model decides only about pairs left open by the rules, whatever the documents contain
//     (TestHostileTextMovesNoMatch, TestAnswersMoveOnlyAskedPairs).
//   - A failure of the model fails the attempt and never counts as an answer
//     (TestModelFailureIsNotNoMatch). The rules' results are kept
//     (TestRefusalKeepsRules, TestWrongVectorLength in
//     postgres). No answer is bought twice, even after a crash (TestAnswerSurvivesCrash in
//     postgres).
//   - A write is all or nothing (TestEdgesAllOrNone,
//     TestReleaseIsAtomic, TestWriteIsFenced in postgres).
//
// # A document can change the matches of others
//
// Suppose order 7 is for 20 lamps, invoice 1 charges 20 lamps, and neither cites the other.
// Nothing else fits, so they match. Then invoice 2 charges 20 lamps as well. Its pair with the
// order has as many points, and an order of 20 lamps has room for only one, so neither is a
// match any more (TestPackageExample). Invoice 1 isn't matched again for this: the
// transaction that stores the pairs of invoice 2 decides again about every pair of the
// documents it is, or was, paired with.
//
// A document can also show by a VAT id that two names are one supplier's, or that a name
// identifies no one. Documents with these names then have other pairs, so they are published
// and matched again (party.go of postgres).
package match
