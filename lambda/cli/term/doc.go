// Package term prints reports and progress on a terminal: text from documents
// is cleaned of control sequences and cut, lines are folded to the width of a
// page, tables are aligned, and a meter shows the progress of a long step.
// Nothing is coloured, and only a terminal gets control sequences.
package term
