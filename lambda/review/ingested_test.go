package review_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"matchbook/lambda/blob"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/review"

	"github.com/google/uuid"
)

// page returns a page with these lines, one below the other.
func page(number int, lines ...string) transcript.Page {
	p := transcript.Page{Number: number, Quality: 1, Lines: []transcript.Line{}}
	for i, text := range lines {
		top := 0.1 + 0.02*float64(i)
		p.Lines = append(p.Lines, transcript.Line{Text: text, Box: transcript.Box{Left: 0.1, Top: top, Right: 0.9, Bottom: top + 0.015}, Confidence: 1})
	}
	return p
}

func TestReviewIDFromDocument(t *testing.T) {
	t.Parallel()
	store, document := newMemory(), uuid.MustParse("d8e2a2c4-188e-5b48-a400-d375a6cc764c")
	s := review.Starter{Store: store, Log: slog.New(slog.DiscardHandler)}
	pages := []transcript.Page{page(1, "Lease", "Rent is due."), page(2, "It renews.")}
	n, err := s.PrepareIngested(t.Context(), uuid.UUID{1}, document, "Contract 7", pages)
	must.OK(t, err)
	// The id was computed with Python's uuid.uuid5: with another one, contracts would
	// be reviewed once more.
	if n.ID.String() != "d2abec80-afaf-54b9-8f41-4bc5b66b2b43" || n.DocumentID != document || n.TenantID != (uuid.UUID{1}) || n.Name != "Contract 7" ||
		n.Text != "Lease\nRent is due.\n\fIt renews." || len(n.Chunks) != 1 || n.PlaybookVersion == "" {
		n.Playbook = nil
		t.Errorf("got %+v", n)
	}
	_, err = s.PrepareIngested(t.Context(), uuid.UUID{1}, document, "", []transcript.Page{page(1)})
	if why := failure.Of(err); why.Kind != failure.Permanent || why.Text != "read the document's text: contains no text" {
		t.Errorf("without text: got %v", err)
	}
	store.Playbooks = map[uuid.UUID][]byte{{1}: []byte(`{"side": "suplier"}`)}
	_, err = s.PrepareIngested(t.Context(), uuid.UUID{1}, document, "", pages)
	if why := failure.Of(err); why.Kind != failure.Permanent || !strings.Contains(why.Text, "did you mean supplier?") {
		t.Errorf("a broken playbook: got %v", err)
	}
}

// shelf has one ingestion.
type shelf struct {
	row ingestion.Row
	err error
}

func (s shelf) Read(context.Context, uuid.UUID, uuid.UUID) (ingestion.Row, error) {
	return s.row, s.err
}

func TestContractText(t *testing.T) {
	t.Parallel()
	files := must.Get(blob.Open(t.Context(), blob.FolderURL(t.TempDir()), nil))(t)
	read := transcript.Transcription{Engine: "pdfium", Version: "1", Pages: []transcript.Page{page(1, "Invoice 7"), page(2, "Lease\u202e"), page(3)}}
	encoded, err := read.Encode()
	must.OK(t, err)
	for key, content := range map[string][]byte{"good": encoded, "bad": []byte("{}")} {
		must.OK(t, files.Write(t.Context(), key, bytes.NewReader(content)))
	}
	id := uuid.UUID{7}
	for name, c := range map[string]struct {
		shelf
		want string
	}{
		"whole":       {shelf{row: ingestion.Row{ID: id, Transcription: "good"}}, "Invoice 7\n\fLease\n\f"},
		"its pages":   {shelf{row: ingestion.Row{ID: id, Transcription: "good", Pages: []int{2}}}, "Lease"},
		"no text":     {shelf{row: ingestion.Row{ID: id, Transcription: "good", Pages: []int{3}}}, "permanent: read the document's text: contains no text"},
		"not read":    {shelf{}, "permanent: document not transcribed yet: wait for its ingestion"},
		"gone":        {shelf{row: ingestion.Row{ID: id, Transcription: "gone"}}, "permanent: cannot read the document's transcription"},
		"broken":      {shelf{row: ingestion.Row{ID: id, Transcription: "bad"}}, "permanent: cannot read the document's transcription"},
		"no database": {shelf{err: errors.New("away")}, "transient: "},
	} {
		got, err := review.Texts{Ingestions: c.shelf, Files: files}.ContractText(t.Context(), uuid.UUID{1}, uuid.UUID{2})
		if why := failure.Of(err); err != nil {
			got = why.Kind.String() + ": " + why.Text
		}
		if got != c.want && !(err != nil && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	unknown := review.Texts{Ingestions: shelf{err: job.ErrNotFound}}
	if _, err := unknown.ContractText(t.Context(), id, id); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("unknown: got %v", err)
	}
}
