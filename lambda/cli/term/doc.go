// Package term prints reports and progress: it cleans text from documents, folds lines,
// aligns tables, and shows a meter for long steps. Only a terminal gets control
// sequences, and output is never coloured, so you can pipe it.
package term
