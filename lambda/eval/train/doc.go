// Package train measures the rules on documents with known matches, and learns from them: in
// memory, without a database, within a minute. It compares and decides with the function's
// code (packages score and rules).
//
// Use Learn to choose the thresholds and the probability for each number of points, and
// LeaveOut to measure both on a left-out corpus, next to simple rules (Baselines). The points
// of the evidence are reasoned, not learned.
package train
