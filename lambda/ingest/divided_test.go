package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest"
	"matchbook/lambda/internal/must"
)

// A person's word on where documents begin holds against the numbers on the pages.
func TestDividedByAPerson(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		begins []int
		want   string // pages of each document
	}{{nil, "[1] [2]"}, {[]int{1}, "[1 2]"}, {[]int{1, 2}, "[1] [2]"}} {
		r := newRig(t, "two-invoices.pdf")
		r.store.row.Begins = tc.begins
		must.OK(t, r.ingest(t))
		var got []string
		for _, d := range r.store.documents {
			got = append(got, fmt.Sprint(d.Pages))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v: got %s, want %s", tc.begins, got, tc.want)
		}
		if first := r.store.documents[0]; len(tc.begins) == 1 && (first.Valid || first.Data.Number == "") {
			t.Errorf("two invoices as one: valid %t, number %q", first.Valid, first.Data.Number)
		}
	}
}

// A model reads each part by itself; if it finds two documents where a person sees one, a person must look.
func TestDividedForAModel(t *testing.T) {
	t.Parallel()
	var credit recording
	must.OK(t, json.Unmarshal(must.Get(os.ReadFile("testdata/answers/credit.json"))(t), &credit))
	page := string(must.Get(os.ReadFile("testdata/answers/credit.txt"))(t))
	first, second := credit.with(t, nil), credit.with(t, map[string]any{"pages": []int{2}, "number": map[string]any{"value": "CN-3308", "quote": "Credit note number CN-3308"}})
	var both, other map[string]any
	must.OK(t, json.Unmarshal([]byte(first), &both))
	must.OK(t, json.Unmarshal([]byte(second), &other))
	both["documents"] = append(both["documents"].([]any), other["documents"].([]any)...)
	r := newReplay(t, typed(page+"\f"+strings.ReplaceAll(page, "CN-3307", "CN-3308")))
	for _, tc := range []struct {
		begins    []int
		questions int
		want      string
	}{
		{[]int{1, 2}, 2, "credit-note CN-3307 of 2026-03-16 from Brightwell Instruments Ltd over 549.60 GBP, pages [1], by recorded, valid true\n" +
			"credit-note CN-3308 of 2026-03-16 from Brightwell Instruments Ltd over 549.60 GBP, pages [2], by recorded, valid true\n"},
		{[]int{1}, 1, "credit-note CN-3307 of 2026-03-16 from Brightwell Instruments Ltd over 549.60 GBP, pages [1 2], by recorded, valid false; " +
			"2 documents were found on these pages, which a person called one: compare the values with each page; page 2 names another document than page 1\n"},
		{[]int{1, 2, 3}, 2, ""}, // a file has only two
	} {
		r.store.row.Begins = tc.begins
		docs, questions := r.with(t, string(must.Get(json.Marshal(both))(t)))
		if got := regexp.MustCompile(`@\S+ temperature=0`).ReplaceAllString(text(docs), ""); tc.want != "" && got != tc.want || questions != tc.questions {
			t.Errorf("%v: %d questions\n%s\nwant %d\n%s", tc.begins, questions, got, tc.questions, tc.want)
		}
		if paid := docs[0].InputTokens; paid == 0 || docs[0].OutputTokens == 0 || len(docs) > 1 && docs[1].InputTokens != 0 {
			t.Errorf("%v: the first document is charged with %d tokens", tc.begins, paid)
		}
	}
}

// full is a store without room for images.
type full struct{ ingest.Blobs }

func (f full) Write(ctx context.Context, key string, content io.ReadSeeker) error {
	if strings.HasSuffix(key, ".png") {
		return failure.Permanently("no room")
	}
	return f.Blobs.Write(ctx, key, content)
}

// A file is read without its images, too.
func TestImagesNotStored(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer
	r := newRig(t, "two-invoices.pdf")
	r.Blobs, r.Log = full{r.Blobs}, slog.New(slog.NewTextHandler(&logs, nil))
	must.OK(t, r.ingest(t))
	_, line, _ := strings.Cut(logs.String(), "level=WARN ")
	if want := fmt.Sprintf("msg=\"image of a page not stored\" id=%s page=1 reason=\"no room\"\n", r.store.row.ID); line != want || len(r.store.documents) != 2 {
		t.Errorf("%d documents, logged %s", len(r.store.documents), logs.String())
	}
}
