package drill

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/ranking"

	"github.com/google/uuid"
)

// of makes a life that of a row of another function.
func (l *life) of(function string, about uuid.UUID) *life {
	for i := range l.changes {
		l.changes[i].Function, l.changes[i].About = function, about
		l.changes[i].Process = strings.Replace(l.changes[i].Process, "match-", function+"-", 1)
	}
	return l
}

var (
	content   = []byte("Rechnung F00001")
	laid      = ingestion.Row{ID: first, DocumentID: second, FilePath: "documents/2.txt"}
	kept      = storedFile{first, second, laid.FilePath, laid.FilePath, "ingestions/1/transcription.json", ""}
	candidate = ranking.Offer{Candidate: second, Rank: 1, Score: 7}
	user      = uuid.MustParse("00000000-0000-4000-8000-00000000000b")
)

// filed is evidence of a scan that was read in second 3, and stored in second 4. Its process died,
// and another completed the ingestion.
func filed() *evidence {
	read := newLife().to("in-progress", "match-1", func(c *change) { c.Contents, c.Attempt = true, 1 }).
		to("pending", "sweep-9", anew).to("in-progress", "match-2").to("succeeded", "match-2")
	e := evident(read.of("ingest", second))
	e.rows[0].Function, e.clusters = "ingest", nil
	e.papers.files = map[uuid.UUID]file{second: {laid, printed{number: "F00001"}, content}}
	e.papers.numbers["F00001"] = second
	e.files = []storedFile{kept}
	e.store = map[string][32]byte{laid.FilePath: sha256.Sum256(content), kept.Transcription: {}}
	e.pages = []page{{"F00001", "ingest-1", at(3), time.Time{}}}
	return e
}

// joined is evidence of a review of one chunk and the whole.
func joined() *evidence {
	text, whole := newLife().to("succeeded", "match-1").of("review", home), (&life{id: second}).to("", "review-1").
		to("pending", "review-1").to("in-progress", "review-2").to("succeeded", "review-2")
	for i := range whole.changes[1:] {
		c := &whole.changes[i+1]
		c.N, c.At, c.Function, c.About = c.N+10, at(10+i), "review", home
		c.Clock = c.At
		text.changes = append(text.changes, *c)
	}
	e := evident(text)
	e.rows[0].Function, e.clusters = "review", nil
	e.rows[0].Status = "succeeded"
	e.messages[second] = []*message{{row: second, sent: at(12)}}
	e.papers.agreed = map[uuid.UUID]agreement{home: {number: "K00001"}}
	e.reviews = []reviewRow{{ID: home, Status: "completed", Chunks: 1, Findings: 2, Cost: 9, Whole: second, HasChunks: 1, HasFindings: 2,
		LastFinding: 2, HasCost: 9}}
	return e
}

// wholeAgain opens the whole again, although no chunk of the text was read again.
func wholeAgain(e *evidence) {
	for i, move := range [][2]string{{"succeeded", ""}, {"", "pending"}} {
		e.audit.changes = append(e.audit.changes, change{N: int64(20 + i), At: at(20 + i), ID: second, About: home, Function: "review",
			Process: "review-1", Was: move[0], Status: move[1], WasAttempt: 1, Attempt: 1})
	}
}

// notWanted cancels the review of a failed chunk, as the drill asked.
func notWanted(e *evidence) {
	e.rows[0].Status, e.reviews[0].Status = "failed", "cancelled"
	e.papers.agreed[home] = agreement{number: "K00001", cancel: true}
}

// composed is evidence of a user's set.
func composed() *evidence {
	l := newLife().to("succeeded", "match-1", func(c *change) { c.Contents = true }).of("offer", user)
	l.changes[2].Tx = 1
	e := evident(l)
	e.rows[0].Function, e.clusters = "offer", nil
	e.papers.users = map[uuid.UUID][]offer.User{home: {{ID: user}}}
	e.sets = []set{{Record: offer.Record{Set: offer.Set{Job: offer.Job{ID: first, User: user, Date: 7}, Offers: []ranking.Offer{candidate}}, Status: "completed"},
		want: []ranking.Offer{candidate}, Rows: second.String(), taken: []accepted{{offers: 1}}}}
	return e
}

func TestWorkloadsFindBreaches(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		evidence func() *evidence
		alter    func(*evidence)
		want     string
	}{
		"a file":                {filed, func(*evidence) {}, ""},
		"a file without a row":  {filed, func(e *evidence) { e.files = nil }, "files"},
		"a file elsewhere":      {filed, func(e *evidence) { e.files[0].DocumentFile = "documents/3.txt" }, "files"},
		"a changed file":        {filed, func(e *evidence) { e.store[laid.FilePath] = [32]byte{} }, "files"},
		"a lost file":           {filed, func(e *evidence) { delete(e.store, laid.FilePath) }, "files"},
		"a lost transcription":  {filed, func(e *evidence) { delete(e.store, kept.Transcription) }, "files"},
		"a page read again":     {filed, func(e *evidence) { e.pages = append(e.pages, page{"F00001", "ingest-2", at(9), at(4)}) }, "pages"},
		"a page read at once":   {filed, func(e *evidence) { e.pages = append(e.pages, page{"F00001", "ingest-1", at(5), at(4)}) }, ""},
		"a review":              {joined, func(*evidence) {}, ""},
		"a review cancelled":    {joined, func(e *evidence) { e.reviews[0].Status = "cancelled" }, "join"},
		"a failed chunk":        {joined, func(e *evidence) { e.rows[0].Status = "failed" }, "again"},
		"a chunk not wanted":    {joined, notWanted, ""},
		"a review with a gap":   {joined, func(e *evidence) { e.reviews[0].HasGaps = 1 }, "join"},
		"a miscounted finding":  {joined, func(e *evidence) { e.reviews[0].LastFinding = 3 }, "join"},
		"a cost not counted":    {joined, func(e *evidence) { e.reviews[0].Cost = 8 }, "join"},
		"money still reserved":  {joined, func(e *evidence) { e.reviews[0].Reserved = 1 }, "join"},
		"a whole begun early":   {joined, func(e *evidence) { e.reviews[0].HasChunks, e.reviews[0].Chunks = 2, 2 }, "join"},
		"a whole begun twice":   {joined, wholeAgain, "join"},
		"a finding of a zombie": {joined, func(e *evidence) { e.effects = []written{{at(3), 5, "review-9", "review_finding", first}} }, "I7"},
		"a finding":             {joined, func(e *evidence) { e.effects = []written{{at(3), 5, "review-1", "review_finding", first}} }, ""},
		"a set":                 {composed, func(*evidence) {}, ""},
		"a set of another day":  {composed, func(e *evidence) { e.sets[0].want = nil; e.sets[0].taken = []accepted{{}} }, "sets"},
		"an offer lost":         {composed, func(e *evidence) { e.sets[0].Rows = "" }, "sets"},
		"a set not sent":        {composed, func(e *evidence) { e.sets[0].taken = nil }, "sets"},
		"a set sent otherwise":  {composed, func(e *evidence) { e.sets[0].taken = append(e.sets[0].taken, accepted{[32]byte{1}, 1}) }, "sets"},
		"a set that waits":      {composed, func(e *evidence) { e.sets[0].Status = "pending" }, "sets"},
		"a set written twice":   {composed, func(e *evidence) { e.audit.changes[1].Contents = true }, "sets"},
		"two sets for a date":   {composed, func(e *evidence) { e.sets = append(e.sets, e.sets[0]) }, "sets"},
		"a date without a set":  {composed, func(e *evidence) { e.sets = append(e.sets, e.sets[0]); e.sets[1].Date = day.Date(9) }, "sets"},
		"a user without a set":  {composed, func(e *evidence) { e.sets = nil }, "sets"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := tc.evidence()
			tc.alter(e)
			e.wantFound(t, tc.want)
		})
	}
}
