// Package rules decides which pairs of documents are matches. It reads no database and asks no
// model.
//
// Use Apply, or Decide if a model's answers should count. Both are in decide.go and take a
// Competition: the scores of some pairs, and of all pairs competing with them. To the evidence
// of each pair they add the competition's (competition.go). A pair gains if nothing else fits
// its two documents, or if parts add up to a whole. It loses if another pair fits as well; of
// equal ones, the nearer in time is likelier. It also gains if a third document connects the
// two by citations (rivalry.go), or belongs to both (third.go). The thresholds of the sum (score.MatchAt) make the pair
// matched, undecided or dropped. A pair out of the question is kept as a suggestion. The score
// is the share of true matches among known pairs of so many points.
//
// Three bounds hold whatever the points. A pair is at least undecided if one document cites
// the other. It is at most undecided if another document of the same number comes first,
// because one is a copy or the number was used again. And confidence is high only where the
// contents agree, since a cited number may be misprinted.
//
// An undecided pair is left to people, or to a model. The model's answer counts as long as the
// pair has the same evidence (answer.go). A person's verdict overrules both, for ever
// (Verdict).
//
// Whether two documents match depends only on the pairs of the two
// (TestOtherPairsAreIrrelevant), not on the order of the pairs
// (TestDecideIgnoresOrder).
package rules
