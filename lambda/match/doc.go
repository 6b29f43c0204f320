// Package match finds the documents that belong together: an order and its
// invoice, a delivery and its receipt, a credit note and the invoice that it
// corrects.
//
// # From a document to its matches
//
// Matcher.Match handles one attempt, as a job.Work, in six steps:
//
//	load     Store.Load reads the document; score.Read brings its companies, numbers, items
//	         and amounts into comparable form.
//	look up  Store.Candidates stores that form and reads the block: the documents of the
//	         tenant with a common key, of each key the nearest in time, those that it cites or
//	         that cite it, and documents of the same company with a similar text (block.go).
//	score    Package score collects the evidence for and against the document and each
//	         candidate, looking at nothing but the two.
//	decide   Package rules adds the competition, the other pairs of the two documents. A
//	         pair is then matched, undecided or dropped.
//	ask      A model answers which of the undecided pairs belong together (ask.go,
//	         prompt.go). Without a model they are suggestions for people.
//	write    Store.Write stores the pairs, the matches and the suggestions, and sets the
//	         document succeeded, in one fenced transaction.
//
// A person who confirms or rejects a pair overrules both, for ever
// (rules.Verdict).
//
// # Asking a model
//
// The competition is known only within the transaction of Store.Write, for
// which the tenant's other writers wait, and no transaction waits for a model.
// So Match calls Write in rounds:
//
//   - Write reads the block again, and scores the candidates that have changed. If
//     the document has other keys by now, since its supplier's name has other
//     identities, Write writes nothing, and the next round reads it again.
//   - Write has the rules decide, with the answers that the attempt has so far.
//     If the document's question has no answer yet, Write writes nothing. Match
//     then asks the model, without a transaction, and the next round has the
//     answer.
//   - Otherwise Write commits.
//
// A question contains the document and its undecided pairs, at most 20, the
// best ones, each with its competition on both sides in words of ours: documents
// that belong to one of the two beyond doubt, others that fit as well, and the
// quantity that is left (rules.Rivals). The model writes the evidence about every
// candidate, and after it the verdict (system.go).
//
// Of two documents the one that comes later in business asks about their pair. An
// answer counts for as long as the document has this question and the pair this
// evidence and competition. A write that changes the question of another document
// publishes that document, which then asks again. The answer to a question that
// was asked before comes from the database: package llm keeps each answer before
// Match reads it, with the version of its prompt.
//
// An attempt has at most 10 rounds and calls the model at most 3 times. After
// that it fails as transient, and so it does if an answer cannot be read: a
// failure is never taken for "no match".
//
// # When a model fails
//
// The document is pending again or failed, as package job decides. What the rules
// know is written in the same transaction, by Store.WriteReleased: the document
// competes like any other, and the pairs that no model has answered about are
// marked as owed. The next attempt asks about them, and about nothing else: after
// a retry, or when a person publishes the failed documents again.
//
// The same holds for an embedder that may answer later. A document that the
// embedder refuses for good goes on without an embedding, with a line in the log,
// and keeps the reason, which explain prints.
//
// # Guarantees
//
//   - The score of two documents depends on nothing but the two, and is the same
//     from both sides (TestPairIsTheSameFromBothSides in score). Whether they
//     match depends on the pairs of the two documents only
//     (TestPairsOfOthersMakeNoDifference in rules). So after every write the matches are
//     a function of the documents matched so far, in whatever order they
//     arrived (TestOrderOfArrivalMakesNoDifference, also WithAModel and
//     WithEmbeddings), also where a key has more documents than a search reads: a pair
//     with too many documents between its two is deleted, unless one cites the other or
//     a person decided about it (TestPairsOutOfReachAreDeleted in postgres; key.go there
//     has the exceptions). Matching a document again changes nothing
//     (TestMatchingAgainChangesNoRow in postgres).
//   - A model decides only about pairs that the rules leave open, whatever the
//     documents contain (TestHostileDocumentsCannotMoveMatches,
//     TestAnswersMoveOnlyWhatWasAsked).
//   - A failure of the model is a failure of the attempt, never an answer
//     (TestModelFailureIsNeverNoMatch), and takes nothing away from what the rules
//     know (TestRefusedQuestionsLeaveWhatRulesKnow,
//     TestWrongVectorLengthFailsNoDocument in postgres). No answer is bought twice, also after a
//     crash (TestAnswerOutlivesACrash in postgres).
//   - A write is complete or nothing (TestEdgesAreWrittenAllOrNone,
//     TestResultsAndReleaseAreWrittenBothOrNeither, TestStaleFenceWritesNothing in
//     postgres).
//
// # A document can change the matches of others
//
// An example: order 7 is for 20 lamps, invoice 1 charges 20 lamps, neither
// cites the other. Nothing else fits, so they are a match. Then invoice 2
// charges 20 lamps as well. Its pair with the order has the same points as the
// first one, and an order of 20 lamps has room for one of them, so neither is a
// match any more (TestTheExampleOfThePackage). Invoice 1 is not matched again
// for that: the transaction that stores the pairs of invoice 2 decides again
// about every pair of the documents that it is paired with now, or was before.
//
// A document can also show that two names are one supplier's, by a VAT id, or that
// a name is nobody's. Documents with these names have other pairs then: they are
// published, and matched again (party.go of postgres).
package match
