package ingest

import (
	"fmt"
	"slices"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/ingest/transcript"
)

// legible is the quality of a page below which its text is worth no more than a guess.
const legible = 0.5

// pages are the pages of a file: each is in a document, blank, or named as not read.
type pages struct {
	ingestion.Account
	legible  transcript.Transcription // the pages to extract from
	doubtful []ingestion.Unread       // of these, read for want of better ones
}

// account sorts the pages. If no page is legible, the ones with text are used all the same; the
// gate and a reason for a person answer for them.
func (in *Ingester) account(t transcript.Transcription) *pages {
	p := &pages{Account: ingestion.Account{Pages: len(t.Pages)}, legible: t}
	p.legible.Pages = nil
	for _, page := range t.Pages {
		switch why := in.unread(page); {
		case slices.Contains(page.Defects, transcript.Blank):
			p.Blank = append(p.Blank, page.Number)
		case why != "":
			p.Unread = append(p.Unread, ingestion.Unread{Page: page.Number, Why: why})
		default:
			p.legible.Pages = append(p.legible.Pages, page)
		}
	}
	if len(p.legible.Pages) == 0 {
		p.doubt(t)
	}
	return p
}

// doubt uses the pages with text although none is legible.
func (p *pages) doubt(t transcript.Transcription) {
	unread := p.Unread
	p.Unread = nil
	for _, u := range unread {
		i := slices.IndexFunc(t.Pages, func(page transcript.Page) bool { return page.Number == u.Page })
		if t.Pages[i].Characters() == 0 {
			p.Unread = append(p.Unread, u)
			continue
		}
		p.legible.Pages, p.doubtful = append(p.legible.Pages, t.Pages[i]), append(p.doubtful, u)
	}
}

// unread returns why a page was not read, or an empty text.
func (in *Ingester) unread(p transcript.Page) string {
	switch {
	case p.Characters() == 0 && in.OCR == nil:
		return fmt.Sprintf("no text, and OCR is off (%s)", in.NoOCR)
	case p.Characters() == 0:
		return "nothing on it was recognised"
	case slices.Contains(p.Defects, transcript.Garbled):
		return "its text is a garble of signs"
	case slices.Contains(p.Defects, transcript.Covered) && in.OCR == nil:
		return fmt.Sprintf("an image covers it, and OCR is off (%s)", in.NoOCR)
	case p.Quality < legible:
		return fmt.Sprintf("only %.0f %% of it is legible", 100*p.Quality)
	}
	return ""
}

// first returns why the file can't be read.
func (p *pages) first() string {
	if len(p.Unread) == 0 {
		return "no text"
	}
	return fmt.Sprintf("page %d: %s", p.Unread[0].Page, p.Unread[0].Why)
}

// settle completes the account, and sends the document to a person that a page would have
// joined, had it been read: the one before it, otherwise the first. It also names the pages that
// no document has.
func (p *pages) settle(docs []ingestion.Extracted) []ingestion.Extracted {
	if len(docs) == 0 {
		return docs
	}
	for _, page := range p.legible.Pages {
		if !slices.ContainsFunc(docs, func(d ingestion.Extracted) bool { return slices.Contains(d.Pages, page.Number) }) {
			p.Unread = append(p.Unread, ingestion.Unread{Page: page.Number, Why: "no document was found on it"})
		}
	}
	slices.SortFunc(p.Unread, func(a, b ingestion.Unread) int { return a.Page - b.Page })
	for _, u := range p.Unread {
		object(docs, u.Page, fmt.Sprintf("page %d of %d was not read: %s", u.Page, p.Pages, u.Why))
	}
	for _, u := range p.doubtful {
		object(docs, u.Page, fmt.Sprintf("page %d of %d: %s", u.Page, p.Pages, u.Why))
	}
	docs[0].Account = &p.Account
	return docs
}

func object(docs []ingestion.Extracted, page int, reason string) {
	d := &docs[0]
	for i := range docs {
		if len(docs[i].Pages) > 0 && slices.Min(docs[i].Pages) <= page {
			d = &docs[i]
		}
	}
	d.Valid, d.Reasons = false, append(d.Reasons, reason)
}
