package reviewrun

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"

	"github.com/google/uuid"
)

// reviewed is a contract of a run and its review.
type reviewed struct {
	path    string
	refused string // why it was not read
	word    bool
	id      uuid.UUID
	job     record.Job
}

// doAll starts a review of each file and waits until all have ended. The function reads the first
// ones while the next ones are prepared; no text stays in memory.
func (r *run) doAll(ctx context.Context) error {
	for i, path := range r.files {
		r.Progress.Watch(func() string { return fmt.Sprintf("read %d of %d files", i, len(r.files)) })
		one := &reviewed{path: path}
		c, err := r.read(ctx, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.reviews = append(r.reviews, one); err != nil {
			one.refused = strings.TrimPrefix(err.Error(), path+": ")
			r.Progress.Say("%s: %s", path, one.refused)
			continue
		}
		one.word = c.word != nil
		if one.id, err = r.begin(ctx, filepath.Base(path), c.text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if len(r.left) > 0 {
		r.Progress.Say("left out %s of other kinds, such as %s", plural.Of(len(r.left), "file", "files"), r.left[0])
	}
	return r.Drain(ctx, r.standingOfAll)
}

func (r *run) standingOfAll(ctx context.Context) (unfinished int, line string, err error) {
	ended, all, calls, cost := 0, 0, 0, record.USD(0)
	for _, one := range r.reviews {
		if one.refused != "" {
			continue
		}
		j := one.job
		if !j.Status.Over() {
			if j, err = reviews.New(r.Stack.DB).Job(ctx, one.id); err != nil {
				return 0, "", err
			}
		}
		if all++; j.Status.Over() {
			ended++
		} else {
			unfinished += j.ChunksOpen + 1
		}
		calls, cost = calls+j.Calls, cost+j.Cost
	}
	return unfinished, fmt.Sprintf("%d of %d contracts reviewed, %d calls, USD %.4f", ended, all, calls, cost.Dollars()), nil
}

// Listed is a result in the list of several contracts, also for use as JSON.
type Listed struct {
	File    string `json:"file"`
	Refused string `json:"refused,omitempty"` // why it was not read
	*Result
}

// showAll prints a table or a list of JSON, and writes the reports into folders. It holds one
// result at a time.
func (o Options) showAll(ctx context.Context, r *run, out io.Writer) (complete bool, err error) {
	complete = true
	table := &summary{}
	for i, one := range r.reviews {
		listed := Listed{File: one.path, Refused: one.refused}
		if one.refused == "" {
			read, err := report.Read(ctx, reviews.New(r.Stack.DB), one.id)
			if err != nil {
				return false, err
			}
			var c contract
			if one.word { // read again, so that no document stays in memory
				if c, err = r.read(ctx, one.path); err != nil {
					return false, err
				}
			}
			if err := o.into(one, i).write(read, c.word); err != nil {
				return false, err
			}
			listed.Result = ResultOf(read)
			listed.addWord(c.word)
		}
		complete = complete && listed.Result != nil && listed.Status == record.Completed
		if err := table.add(out, listed, i == len(r.reviews)-1, o.JSON); err != nil {
			return false, err
		}
	}
	if !o.JSON {
		_, err = io.WriteString(out, table.text())
	}
	return complete, err
}

// into returns the options for one of several contracts: its reports go into the folders.
func (o Options) into(one *reviewed, i int) Options {
	base := strings.TrimSuffix(filepath.Base(one.path), filepath.Ext(one.path))
	if !one.word {
		o.Word = ""
	}
	for _, to := range []struct {
		folder    *string
		extension string
	}{{&o.HTML, ".html"}, {&o.Markdown, ".md"}, {&o.Word, ".docx"}} {
		if *to.folder == "" {
			continue
		}
		_ = os.MkdirAll(*to.folder, 0o700) // writing reports it
		*to.folder = filepath.Join(*to.folder, fmt.Sprintf("%02d %s%s", i+1, base, to.extension))
	}
	return o
}

// summary is the table of several contracts.
type summary struct {
	page   term.Page
	rows   int
	counts [3]int // complete, incomplete, refused
	cost   float64
}

func (s *summary) add(out io.Writer, l Listed, last, asJSON bool) error {
	if asJSON {
		return element(out, l, s.rows == 0, last, &s.rows)
	}
	if s.rows++; s.rows == 1 {
		s.page.Line("%-9s %5s %4s %4s %4s %4s %5s %9s  %s", "CONTRACTS", "parts", "crit", "high", "med", "low", "gaps", "USD", "")
	}
	name := term.Clean(l.File, mostName)
	if l.Result == nil {
		s.counts[2]++
		s.page.Line("%-9s %5s %4s %4s %4s %4s %5s %9s  %s: %s", "refused", "-", "-", "-", "-", "-", "-", "-", name,
			term.Clean(l.Refused, mostText))
		return nil
	}
	state := "complete"
	if l.Status == record.Completed {
		s.counts[0]++
	} else {
		state = "gaps"
		if len(l.Gaps) == 0 {
			state = string(l.Status)
		}
		s.counts[1]++
	}
	by := map[record.Severity]int{}
	for _, f := range l.Findings {
		if f.Repeats == 0 && !f.Withdrawn {
			by[f.Severity]++
		}
	}
	s.cost += l.Cost
	s.page.Line("%-9s %5d %4d %4d %4d %4d %5d %9.4f  %s", state, l.Parts, by[record.Critical], by[record.High], by[record.Medium],
		by[record.Low], len(l.Gaps), l.Cost, name)
	return nil
}

func (s *summary) text() string {
	s.page.Line("%s: %d complete, %d incomplete, %d refused; USD %.4f", plural.Of(s.rows, "contract", "contracts"),
		s.counts[0], s.counts[1], s.counts[2], s.cost)
	return s.page.String()
}

// element writes an element of a list of JSON.
func element(out io.Writer, v any, first, last bool, n *int) error {
	*n++
	raw, err := json.MarshalIndent(v, "  ", "  ")
	if err != nil {
		return err
	}
	begin, end := "", ",\n"
	if first {
		begin = "[\n"
	}
	if last {
		end = "\n]\n"
	}
	_, err = fmt.Fprintf(out, "%s  %s%s", begin, raw, end)
	return err
}
