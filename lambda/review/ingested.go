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

// PrepareIngested returns the review with which a contract that was ingested
// begins. Its id is derived from the document's, so that there is one, however
// often the file is read. It implements ingest.Reviewer, which stores it.
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
		return "", failure.Permanently("the text of the document: %s", err)
	}
	return text, nil
}

// Texts reads the texts of contracts that were ingested.
type Texts struct {
	Ingestions interface {
		// Read returns the ingestion of a document; without a transcription where it
		// has not been read. An unknown document of the tenant is job.ErrNotFound.
		Read(ctx context.Context, tenantID, documentID uuid.UUID) (ingestion.Row, error)
	}
	Files interface {
		Read(ctx context.Context, key string, most int64) ([]byte, error)
	}
}

// maxTranscription bounds the transcription of a contract, in bytes. With places and
// trust a line takes about three times its text.
const maxTranscription = 24 << 20

// ContractText returns the text of a document. An unknown one is job.ErrNotFound; one
// without a text is a permanent failure, which says what to do.
func (t Texts) ContractText(ctx context.Context, tenantID, documentID uuid.UUID) (string, error) {
	in, err := t.Ingestions.Read(ctx, tenantID, documentID)
	switch {
	case err != nil:
		return "", failure.At("read the ingestion of a document", err)
	case in.Transcription == "":
		return "", failure.Permanently("the document has no transcription yet: " +
			"wait for its ingestion, lay its file into the inbox, or send the text")
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
		return "", failure.Permanently("the transcription of the document cannot be read, or is too large: "+
			"matchbook publish --ingestions %s has the file read again; or send the text", in.ID)
	}
	return clean(pages.Only(in.Pages).Pages)
}
