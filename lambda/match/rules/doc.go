// Package rules decides which pairs of documents are matches. It reads no
// database and asks no model.
//
// Decide takes a Competition: the scores of some pairs, and of all pairs that
// compete with them. To the evidence of each pair it adds that of the
// competition (competition.go): a pair gains if nothing else fits its two documents,
// or if parts add up to a whole, and loses if another pair fits as well; of equal
// ones the nearer in time is likelier. It also gains if a third document connects
// the two by citations (rivalry.go). The thresholds of the sum (score.MatchAt) make a
// pair matched, undecided or dropped. A pair out of the question is kept as a
// suggestion. The score is the share of true matches among known pairs of so many
// points.
//
// Three bounds hold whatever the points. A pair of which one document cites the other
// is at least undecided. A document of whose number there is another one that
// comes first is at most undecided: it is a copy, or the number was used again. And
// confidence is high only where the contents agree: a cited number may be misprinted.
//
// An undecided pair is left to a model, whose answer counts for as long as the
// pair has the same evidence (answer.go), or to people. A person who confirms or
// rejects a pair overrules both, for ever (Verdict).
//
// Whether two documents match depends on the pairs of the two only
// (TestPairsOfOthersMakeNoDifference), and not on the order of the pairs
// (TestOrderAndExtentOfTheQuestionMakeNoDifference).
package rules
