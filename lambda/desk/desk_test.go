package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/desk"
	"matchbook/lambda/document"
	"matchbook/lambda/explain"
	"matchbook/lambda/job"
	"matchbook/lambda/match"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/rules"
	"matchbook/lambda/term"

	"github.com/google/uuid"
)

func num(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012x", n)) }

// open returns a database with three orders, each with two invoices that fit it
// equally well: six questions, the most valuable first.
func open(t *testing.T) *postgres.DB {
	t.Helper()
	db := postgrestest.Open(t, postgrestest.URL(t))
	var docs []postgres.Imported
	for i := range 3 {
		for n, typ := range []document.Type{document.PurchaseOrder, document.Invoice, document.Invoice} {
			data := fmt.Sprintf(`{"number":"%d-%d","date":"2026-03-%02d","total":"%d.37","supplier":{"name":"Lampenhaus Wittmann"},
				"line_items":[{"sku":"L-%d","quantity":"2%d","description":"a \u001b[31mlamp with a long description, so that it is folded"}]}`,
				4700+i, n, 2+5*(n+1)/2, 900-100*i, i, i)
			docs = append(docs, postgres.Imported{ID: num(3*i + n + 1), TenantID: num(99), Type: typ, Data: json.RawMessage(data)})
		}
	}
	if _, err := db.Add(t.Context(), docs, postgres.AddOptions{Replace: true, Send: true}); err != nil {
		t.Fatal(err)
	}
	m := &match.Matcher{Store: db, Log: slog.New(slog.DiscardHandler)}
	for _, d := range docs {
		claims, err := db.Claim(t.Context(), []job.Delivery{{ID: d.ID}}, time.Minute, false)
		if err == nil {
			err = m.Match(t.Context(), claims[0].Fence)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// screen keeps what is printed, and calls shown with the number of each prompt.
type screen struct {
	strings.Builder
	prompts int
	shown   func(n int)
}

func (s *screen) Write(p []byte) (int, error) {
	if strings.HasSuffix(string(p), "> ") {
		s.shown(s.prompts)
		s.prompts++
	}
	return s.Builder.Write(p)
}

// walk presses keys.
func walk(t *testing.T, db *postgres.DB, keys string, shown func(n int)) string {
	t.Helper()
	out := &screen{shown: shown}
	pressed := make(chan rune, len(keys))
	for _, key := range keys {
		pressed <- key
	}
	close(pressed)
	d := &desk.Desk{Reader: explain.NewReader(t.Context(), db), By: "anna", Keys: pressed, Out: out}
	if err := d.Walk(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOneKeyDecides(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ keys, want string }{
		"each, with a match that appears at the end": {"crcrr", "2 confirmed, 3 rejected, 0 left for later."},
		"later":                {"llllll", "0 confirmed, 0 rejected, 6 left for later."},
		"undone":               {"ucuq", "0 confirmed, 0 rejected, 0 left for later."},
		"undone and otherwise": {"curq", "0 confirmed, 1 rejected, 0 left for later."},
		"the input ends":       {"?xl", "0 confirmed, 0 rejected, 1 left for later."},
		"nothing":              {"", "0 confirmed, 0 rejected, 0 left for later."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := walk(t, open(t), tc.keys, func(int) {})
			if !strings.HasSuffix(out, "\n"+tc.want+"\n") {
				t.Errorf("want %s\n%s", tc.want, out)
			}
			for line := range strings.Lines(out) {
				if term.Columns(strings.TrimSuffix(line, "\n")) > 80 || strings.Contains(line, "\x1b") {
					t.Errorf("%q", line)
				}
			}
		})
	}
}

// A pair that another person has decided, or whose document has changed, is shown again
// or passed, and not decided as it was shown.
func TestAPairThatChangedMeanwhileIsNotDecided(t *testing.T) {
	t.Parallel()
	db := open(t)
	out := walk(t, db, "ccq", func(n int) {
		if n == 0 {
			if _, err := db.Decide(t.Context(), num(1), num(3), postgres.Decision{Verdict: rules.Rejected, By: "bert", Origin: postgres.OriginConsole}); err != nil {
				t.Error(err)
			}
		}
	})
	if !strings.Contains(out, "not stored: the pair has changed since it was shown") {
		t.Errorf("it is decided\n%s", out)
	}
}

// Ctrl-C, which ends the context, ends the walk with its summary. What is decided stays.
func TestAnInterruptedWalkEndsWithItsSummary(t *testing.T) {
	t.Parallel()
	db := open(t)
	ctx, stop := context.WithCancel(t.Context())
	keys := make(chan rune, 1)
	keys <- 'c'
	out := &screen{shown: func(n int) {
		if n == 1 {
			stop()
		}
	}}
	d := &desk.Desk{Reader: explain.NewReader(ctx, db), By: "anna", Keys: keys, Out: out}
	if err := d.Walk(ctx); err != nil || !strings.HasSuffix(out.String(), "\n1 confirmed, 0 rejected, 0 left for later.\n") {
		t.Errorf("got %v\n%s", err, out)
	}
}

const envKeys = "MATCHBOOK_TEST_KEYS"

// TestKeysProcess is no test: it is what the process on the terminal runs.
func TestKeysProcess(t *testing.T) {
	t.Parallel()
	if os.Getenv(envKeys) == "" {
		return
	}
	keys, restore := desk.Keys(t.Context(), os.Stdin)
	defer restore()
	fmt.Println("READY")
	for key := range keys {
		fmt.Printf("<%c>\n", key)
		if key == 'q' {
			return
		}
	}
}

// On a terminal a key needs no return; of any other input each line has one.
func TestKeysOfATerminalAndOfLines(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(input string, command ...string) string {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Env = append(os.Environ(), envKeys+"=1")
		in, err1 := cmd.StdinPipe()
		out, err2 := cmd.StdoutPipe()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		buffer := make([]byte, 1024)
		for sent := false; ; {
			n, err := out.Read(buffer)
			text.Write(buffer[:n])
			if !sent && strings.Contains(text.String(), "READY") {
				sent = true
				if _, err := in.Write([]byte(input)); err != nil {
					t.Error(err)
				}
			}
			if err != nil {
				break
			}
		}
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		return strings.ReplaceAll(text.String(), "\r", "")
	}
	const want = "<c>\n<r>\n<q>\n"
	for name, out := range map[string]string{
		"a terminal": run("crq", "script", "-qec", program+" -test.run=^TestKeysProcess$", "/dev/null"),
		"lines":      run("Confirm\n r\nquit\n", program, "-test.run=^TestKeysProcess$"),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s: got %q, want %q", name, out, want)
		}
	}
}
