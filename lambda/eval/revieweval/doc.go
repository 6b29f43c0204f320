// Package revieweval compares the categories that a review finds in contracts with
// the labels that people gave them. It goes the whole way of a review, from the
// text over its chunks and their marks to the contract, with the questions and
// answers in between, but without queue and database.
package revieweval
