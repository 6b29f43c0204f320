// Package train measures the rules on documents whose matches are known, and learns
// from them: in memory, without a database, in a minute. It compares and decides by
// the code of the function (packages score and rules).
//
// Learn chooses the thresholds, and the probability of so many points, by pairs of
// corpora held out in turn. LeaveOut measures both on corpora left out, beside simple
// rules (Baselines). The points of evidence are reasoned; fitted tries whether
// known matches justify others.
package train
