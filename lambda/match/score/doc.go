// Package score collects the evidence for and against a pair of documents, in points. It reads
// no database and asks no model.
//
// # From a document to a score
//
//   - Read parses and normalises a document: its companies, numbers, citations, items and
//     amounts (stored.go, normalise.go). Use Pairs to score it against candidates.
//   - Two documents are scored only if they share a key, or if they are of one company and
//     their texts are similar (embedding.go). A key is a number, or a company together with an
//     amount, an item or a time (keys.go).
//   - Document.Score collects the evidence, looking only at the two documents. A pair out of
//     the question has a veto, the reason, instead of points (pair.go).
//
// All kinds of evidence and their points are in one table, weights.go. It includes the
// competition's, which package rules adds.
//
// # Guarantees
//
// The score of two documents depends only on the two, and is the same from both sides
// (TestScoreIsSymmetric). Two documents find each other by the same keys, whichever
// comes later (TestKeysFindBothWays). Documents of any content are scored in bounded time and
// memory (TestHostileInputIsBounded).
package score
