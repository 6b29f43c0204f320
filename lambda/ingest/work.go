package ingest

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Ingest reads the file of an ingestion, from its checkpoint if there is one. Use it with
// job.Each.
func (in *Ingester) Ingest(ctx context.Context, f job.Attempt) error {
	row, err := in.Store.Ingestion(ctx, f.ID)
	if err != nil {
		return failure.At("read the ingestion", err)
	}
	file, err := in.Blobs.Read(ctx, row.FilePath, filetype.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) { // its upload may not have ended
		return &failure.Error{Kind: failure.Transient, Sentence: failure.Of(err).Text}
	}
	if err != nil {
		return err
	}
	if row.Refused() {
		return failure.Permanently("%s", file)
	}
	src, err := in.open(ctx, file)
	if err != nil {
		return err
	}
	defer src.close()
	if in.PagesOnly {
		src.invoices, src.notes = nil, nil
	}
	text, err := in.transcribe(ctx, f, row, src)
	if err != nil {
		return err
	}
	in.draw(ctx, row, src) // before what may fail, because a person types what could not be read
	docs, err := in.extract(ctx, row, src, text)
	if err != nil {
		return err
	}
	locate(docs, text)
	if err := in.addReviews(ctx, row, docs, text.Only(row.Pages)); err != nil {
		return err
	}
	documents, chunks, err := in.Store.Complete(ctx, f, docs)
	if err != nil {
		return failure.At("write the documents", err)
	}
	in.send(ctx, in.Sender, "documents", documents)
	if len(chunks) > 0 {
		in.send(ctx, in.Chunks, "chunks", chunks)
	}
	return nil
}

// addReviews prepares the reviews of contracts. Complete stores them with the documents, so
// that no crash comes between. A contract that can't be reviewed needs a person; the
// reason is listed.
func (in *Ingester) addReviews(ctx context.Context, row ingestion.Row, docs []ingestion.Extracted, t transcript.Transcription) error {
	for i := range docs {
		d := &docs[i]
		if in.Reviewer == nil || d.Type != document.Contract {
			continue
		}
		title := strings.TrimSpace("Contract " + d.Data.Number)
		n, err := in.Reviewer.PrepareIngested(ctx, row.TenantID, d.DocumentID, title, t.Only(d.Pages).Pages)
		switch why := failure.Of(err); {
		case err == nil:
			d.Review = &n
		case why.Kind == failure.Permanent:
			d.Valid, d.Reasons = false, append(d.Reasons, "contract not reviewed: "+why.Text)
		default:
			return failure.At("prepare the review of the contract", err)
		}
	}
	return nil
}

// sendFor bounds the sending of messages. It goes on after the work's deadline, because the
// documents are published already. The sweep sends the rest.
const sendFor = 5 * time.Second

func (in *Ingester) send(ctx context.Context, to job.Sender, what string, stamped []job.Stamped) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendFor)
	defer cancel()
	if unsent, err := to.Send(ctx, stamped); err != nil {
		in.Log.Warn("enqueue failed; sweep will retry", what, len(unsent), "reason", failure.Of(err).Text)
	}
}

// numbered returns the row of a file's document by its place. The first has the ingestion's ids;
// the others derive theirs from them, so that the same file gives the same documents.
func numbered(row ingestion.Row, i int) ingestion.Row {
	if i > 0 {
		row.ID = uuid.NewSHA1(row.ID, []byte{byte(i >> 8), byte(i)})
		row.DocumentID = uuid.NewSHA1(row.DocumentID, []byte{byte(i >> 8), byte(i)})
	}
	return row
}
