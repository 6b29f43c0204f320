// Package revieweval compares the categories a review finds in contracts with the labels
// people gave them. It uses the code of a review from the text over chunks and marks to the
// contract, including questions and answers, but without queue and database.
package revieweval
