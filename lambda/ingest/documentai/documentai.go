// Package documentai reads files by Google Document AI, its processor of the
// type Enterprise Document OCR, through the REST API.
//
// A PDF or an image goes as it is, so that the processor uses a PDF's own text
// where there is some; more pages than a request may have go in several
// requests, each with its page numbers, and are joined. Without the file itself,
// and for repaired pages, each image of a page is a request. What the service
// reports about the quality of a page becomes its quality and its defects.
//
// The service account's key is the secret: it signs a request for a token, which
// is kept until shortly before its end. Nothing of a request or a response gets
// into an error but the HTTP status and an error code that we know, and no
// printed Config or Engine contains the key.
package documentai
