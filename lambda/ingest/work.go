package ingest

import (
	"context"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// Ingest reads the file of an ingestion, from its checkpoint on if there is
// one. It is a job.Work.
func (in *Ingester) Ingest(ctx context.Context, f job.Fence) error {
	row, err := in.Store.Ingestion(ctx, f.ID)
	if err != nil {
		return failure.At("read the ingestion", err)
	}
	file, err := in.Blobs.Read(ctx, row.FilePath, filetype.MaxBytes)
	if err != nil {
		return err
	}
	src, err := in.open(ctx, file)
	if err != nil {
		return err
	}
	defer src.close()
	text, err := in.transcribe(ctx, f, row, src)
	if err != nil {
		return err
	}
	docs, err := in.extract(ctx, row, src, text)
	if err != nil {
		return err
	}
	stamped, err := in.Store.Complete(ctx, f, name(row, docs))
	if err != nil {
		return failure.At("write the documents", err)
	}
	in.send(ctx, stamped)
	return nil
}

// sendFor bounds the sending of messages, which goes on although the work's time
// is up: the documents are published. The sweep sends what is not sent.
const sendFor = 5 * time.Second

func (in *Ingester) send(ctx context.Context, stamped []job.Stamped) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendFor)
	defer cancel()
	if unsent, err := in.Sender.Send(ctx, stamped); err != nil {
		in.Log.Warn("documents are published without a message: the sweep sends it",
			"documents", len(unsent), "reason", failure.Of(err).Text)
	}
}

// name gives the documents of a file their ids: the first has those of the
// ingestion, and the others derive theirs from it by their place, so that the
// same file gives the same documents.
func name(row ingestion.Row, docs []ingestion.Extracted) []ingestion.Extracted {
	for i := range docs {
		docs[i].ID, docs[i].DocumentID = row.ID, row.DocumentID
		if i > 0 {
			docs[i].ID = uuid.NewSHA1(row.ID, []byte{byte(i >> 8), byte(i)})
			docs[i].DocumentID = uuid.NewSHA1(row.DocumentID, []byte{byte(i >> 8), byte(i)})
		}
	}
	return docs
}
