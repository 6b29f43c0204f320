package review

import (
	"context"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"

	"github.com/google/uuid"
)

// PrepareIngested returns the review to store with an ingested contract. Its id is derived
// from the document's, so that reading the file again starts no second review. It implements
// ingest.Reviewer.
func (s *Starter) PrepareIngested(
	ctx context.Context, tenantID, documentID uuid.UUID, name string, pages []transcript.Page,
) (record.New, error) {
	text, err := clean(pages)
	if err != nil {
		return record.New{}, err
	}
	return s.prepare(ctx, Request{ID: uuid.NewSHA1(documentID, []byte("review")), TenantID: tenantID,
		DocumentID: documentID, Name: name, Text: text})
}

func clean(pages []transcript.Page) (string, error) {
	text, err := chunk.Clean([]byte(chunk.OfPages(pages)))
	if err != nil {
		return "", failure.Permanently("read the document's text: %s", err)
	}
	return text, nil
}

// Texts reads the texts of ingested contracts.
type Texts struct {
	Ingestions interface {
		// Read returns a document's ingestion; its Transcription is empty until the file has
		// been read. It returns job.ErrNotFound for a document unknown to the tenant.
		Read(ctx context.Context, tenantID, documentID uuid.UUID) (ingestion.Row, error)
	}
	Files interface {
		Read(ctx context.Context, key string, most int64) ([]byte, error)
	}
}

// maxTranscription bounds a contract's transcription, in bytes. With places and trust, a line
// takes about three times its text.
const maxTranscription = 24 << 20

// ContractText returns a document's text. It returns job.ErrNotFound for a document unknown to
// the tenant, and a permanent failure with the remedy for one without a text.
func (t Texts) ContractText(ctx context.Context, tenantID, documentID uuid.UUID) (string, error) {
	in, err := t.Ingestions.Read(ctx, tenantID, documentID)
	switch {
	case err != nil:
		return "", failure.At("read the ingestion of a document", err)
	case in.Transcription == "":
		return "", failure.Permanently("document not transcribed yet: " +
			"wait for its ingestion, put its file in the inbox, or send the text")
	}
	stored, err := t.Files.Read(ctx, in.Transcription, maxTranscription)
	var pages transcript.Transcription
	switch {
	case err != nil && failure.Of(err).Kind != failure.Permanent:
		return "", failure.At("read a transcription", err)
	case err == nil:
		pages, err = transcript.Decode(stored)
	}
	if err != nil {
		return "", failure.Permanently("cannot read the document's transcription, or it is too large; "+
			"run matchbook publish --ingestions %s to read the file again, or send the text", in.ID)
	}
	return clean(pages.Only(in.Pages).Pages)
}
