// Package train measures the rules on documents whose matches are known, and learns
// from them: in memory, without a database, in a minute. It compares and decides by
// the code of the function (packages score and rules).
//
// Learn chooses the thresholds, and the probability of so many points. LeaveOut
// measures both on a corpus that was left out, next to simple rules (Baselines). The
// points of evidence are reasoned, not learned.
package train
