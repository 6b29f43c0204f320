// Package chunk reads the text of a contract, and divides it into parts small enough for one
// question to a model. Use Clean to read a file (OfPages first, for a transcription), and
// Split to divide the clean text.
//
// A part has about 700 words, so a contract of 40 pages has 22 parts. Smaller parts would cost
// more calls and separate a clause from its context; in larger ones models overlook clauses. A
// part ends where the contract does: before a heading if one is near, otherwise before a
// clause, a paragraph or a sentence. Only a sentence longer than the largest part is cut. If
// the end divides a clause, the next part repeats the last sentences, so that a short passage
// stands whole in one of the two.
//
// Split depends on the text alone and uses linear time. Apart from its result it needs memory
// for one part.
package chunk
