// Package train measures the rules on documents whose matches are known: in
// memory, without a database, in seconds. It compares and decides by the code of
// the function (packages score and rules).
package train
