package cost

import (
	_ "embed"
	"fmt"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/manifest"
)

//go:embed workloads.json
var builtInNeeds []byte

// needs are the resources of the work besides matching. MS are milliseconds of a
// processor; those of the database are named.
type needs struct {
	Date    string `json:"date"`
	Machine string `json:"machine"`

	FileMS      Figure `json:"file_ms"`
	PageMS      Figure `json:"page_ms"`
	ScanMS      Figure `json:"scan_ms"`
	ScanSeconds Figure `json:"scan_seconds"`
	AtOnce      Figure `json:"pages_at_once"`
	FilePrompt  Figure `json:"file_prompt_tokens"`
	PagePrompt  Figure `json:"page_prompt_tokens"`
	FileAnswer  Figure `json:"file_answer_tokens"`

	ChunkWords  Figure `json:"chunk_words"`
	ChunkCalls  Figure `json:"chunk_calls"`
	ChunkMS     Figure `json:"chunk_ms"`
	ChunkPrompt Figure `json:"chunk_prompt_tokens"`
	ChunkAnswer Figure `json:"chunk_answer_tokens"`

	SetMS Figure `json:"set_ms"`

	FileDatabaseMS  Figure `json:"file_database_ms"`
	ChunkDatabaseMS Figure `json:"chunk_database_ms"`
	SetDatabaseMS   Figure `json:"set_database_ms"`
}

func readNeeds() (n needs, err error) { return n, read(builtInNeeds, &n) }

// Others are pieces of work besides matching: a file, a contract and a day of match
// offers of these sizes.
type Others struct {
	Pages int // of a file
	Words int // of a contract
	Users int // who are offered a set each
}

// usualOthers are the sizes without flags.
var usualOthers = Others{Pages: 3, Words: 10_000, Users: 10_000}

func (o Others) check() error {
	return unless(min(o.Pages, o.Words, o.Users) > 0, "--pages %d, --words %d, --users %d: each is 1 at least", o.Pages, o.Words, o.Users)
}

// piece is the work on one thing.
type piece struct {
	Name               string
	row                manifest.Function
	messages           float64
	busy               float64 // seconds of a whole core
	waits              float64 // seconds for answers of OCR or a model, if one is asked after the other
	atOnce             int     // answers that an instance waits for at once
	calls              float64
	prompt, completion float64 // tokens of all calls
	scans              float64 // pages
	database           float64 // seconds of a core
}

// pieces lists the work. latency is that of the model.
func (o Others) pieces(n needs, latency Latency) []piece {
	pages, seconds := float64(o.Pages), latency.Longest(1).Seconds()
	file := piece{Name: fmt.Sprintf("a file of %d pages with text", o.Pages), row: manifest.Ingest, messages: 1,
		busy: (n.FileMS.Value + pages*n.PageMS.Value) / 1000, waits: seconds, atOnce: manifest.Ingest.BatchSize, calls: 1,
		prompt: n.FilePrompt.Value + pages*n.PagePrompt.Value, completion: n.FileAnswer.Value, database: n.FileDatabaseMS.Value / 1000}
	scan := file
	scan.Name, scan.scans = fmt.Sprintf("a scan of %d pages, by Textract", o.Pages), pages
	scan.busy += pages * n.ScanMS.Value / 1000
	scan.waits += pages * n.ScanSeconds.Value / n.AtOnce.Value
	chunks := max(float64(o.Words)/n.ChunkWords.Value, 1)
	calls := chunks * n.ChunkCalls.Value
	contract := piece{Name: "a contract of " + grouped(float64(o.Words)) + " words", row: manifest.Review, messages: chunks,
		busy: chunks * n.ChunkMS.Value / 1000, waits: calls * seconds, atOnce: manifest.Review.CallsInFlight, calls: calls,
		prompt: calls * n.ChunkPrompt.Value, completion: calls * n.ChunkAnswer.Value, database: chunks * n.ChunkDatabaseMS.Value / 1000}
	users := float64(o.Users)
	day := piece{Name: "a day of " + grouped(users) + " users", row: manifest.Offer, messages: users,
		busy: users * n.SetMS.Value / 1000, atOnce: 1, database: users * n.SetDatabaseMS.Value / 1000}
	return []piece{file, scan, contract, day}
}

// instance is the time of an instance that a piece takes, in seconds: its processor
// and database time, and its share of the answers that the instance waits for.
func (p piece) instance(speed float64) float64 {
	share := min(float64(p.row.MemoryMB)/wholeCoreMB, 1) * speed
	return p.busy/share + p.database + p.waits/float64(p.atOnce)
}

// PieceCost is the cost of one piece of work, in USD, without the database.
type PieceCost struct {
	Name   string  `json:"name"`
	Model  float64 `json:"model"`
	OCR    float64 `json:"ocr"`
	Lambda float64 `json:"lambda_and_sqs"`
	USD    float64 `json:"usd"`
}

// cost calculates the cost of a piece: in an invocation for as many messages as it
// may take, with requests for sending, receiving and deleting them, ten at a time.
func (p piece) cost(prices Prices, model modelPrice, speed float64) PieceCost {
	invocations, calls := p.messages/float64(p.row.BatchSize), p.messages/inACall(p.row.BatchSize)
	c := PieceCost{Name: p.Name,
		Model: (p.prompt*model.Prompt + p.completion*model.Completion) / million,
		OCR:   p.scans * prices.TextractPages.USD / 1000,
		Lambda: p.instance(speed)*float64(p.row.MemoryMB)/1024*prices.LambdaGBSecond.USD +
			(invocations*prices.LambdaRequests.USD+3*calls*prices.SQSRequests.USD)/million}
	c.USD = c.Model + c.OCR + c.Lambda
	return c
}

// PieceRate is how many pieces of work an hour go through.
type PieceRate struct {
	Name    string  `json:"name"`
	AnHour  float64 `json:"an_hour"`
	Binding string  `json:"binding"`
}

// rate finds the tightest limit of the system for a piece, as if there were no
// other work.
func (p piece) rate(s System) PieceRate {
	m := s.Measured
	r := PieceRate{p.Name, float64(p.row.MaxConcurrency) * hour / p.instance(m.CoreSpeed.Value), limitConcurrency}
	lower := func(name string, anHour float64) {
		if anHour < r.AnHour {
			r.AnHour, r.Binding = anHour, name
		}
	}
	lower(limitDatabase, s.Cores*m.Busy.Value*hour/p.database)
	if p.calls > 0 && s.RequestsAMinute > 0 {
		lower(limitRequests, s.RequestsAMinute*60/p.calls)
	}
	if p.calls > 0 && s.TokensAMinute > 0 {
		lower(limitTokens, s.TokensAMinute*60/(p.prompt+p.completion))
	}
	return r
}

// sayCosts adds the table of costs to a page.
func sayCosts(s *term.Sheet, list []PieceCost) {
	s.Say("The other workloads, in USD for 1,000 pieces of work, without the database:")
	rows := [][]string{{"1,000 times", "model", "OCR", "Lambda, SQS", "sum"}}
	for _, c := range list {
		rows = append(rows, []string{c.Name, usd(1000 * c.Model), usd(1000 * c.OCR), usd(1000 * c.Lambda), usd(1000 * c.USD)})
	}
	s.Table(rows)
	s.Say("lambda/cli/cost/workloads.json has what a page, a chunk and a set need: measured, or stated as assumed.")
}

// sayRates adds the table of rates to a page.
func sayRates(s *term.Sheet, list []PieceRate) {
	s.Say("The other workloads, each as if it were alone, with the instances of lambda/manifest:")
	rows := [][]string{{"work", "an hour", "limited by"}}
	for _, r := range list {
		text := grouped(r.AnHour)
		if r.AnHour < 100 {
			text = short(r.AnHour)
		}
		rows = append(rows, []string{r.Name, text, r.Binding})
	}
	s.Table(rows)
}
