// Package notifytest has test data for channels: messages of every form, hostile messages and
// golden files. Use it in the tests of a Sender.
package notifytest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/notify"

	"github.com/google/uuid"
)

// Base is the address of the admin pages in the messages.
const Base = "https://matchbook.example.com/admin/"

var (
	start = time.Date(2026, 3, 2, 9, 59, 58, 250e6, time.FixedZone("CET", 3600))
	kinds = []string{"permanent", "transient", "lost", "crashed"}
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", n)) }

// Failure returns the nth of a kind: a second after the one before, of one of three tenants.
func Failure(n int, kind string) notify.Failure {
	return notify.Failure{
		ID: id(n), At: start.Add(time.Duration(n) * time.Second),
		TenantID: id(100_000 + n%3), Tenant: []string{"Acme GmbH", "Müller & Söhne KG", "O'Neill <Cork>"}[n%3],
		SubjectID: id(200_000 + n), Kind: kind, Attempts: 3, Deliveries: 3,
		Error: "ask the model: model provider denied access (HTTP 401, invalid_api_key)",
	}
}

// Hostile is an attack by text: mentions, links, markup, line ends, header fields, template
// actions, invalid characters.
const Hostile = "<!channel> <@U012> <https://evil.example|Open> @here & &amp; *b* `c` </p><script>alert(1)</script>" +
	"\r\nBcc: all@evil.example\r\n\r\n{{.Link}} \"'\x00\x1b[31m\u202e\u2028\xff end"

// Messages returns one message of every form, by name.
func Messages() map[string]notify.Message {
	lost := Failure(2, "lost")
	lost.Deliveries, lost.Tenant, lost.Error = 0, "", "lost: published 4 times and no message reached a worker"
	throttled := Failure(3, "transient")
	throttled.Attempts = 1
	hostile := Failure(4, Hostile)
	hostile.Tenant, hostile.Error = Hostile, Hostile
	long := Failure(5, strings.Repeat("k", 500))
	long.Tenant, long.Error = strings.Repeat("<T>", 2000), strings.Repeat("&𝄞", 5000)
	many := func(n int, f notify.Failure) (all []notify.Failure) {
		for i := range n {
			f.ID, f.At, f.SubjectID, f.TenantID = id(i), start.Add(time.Duration(i)*53*time.Millisecond), id(200_000+i),
				id(100_000+i%3)
			f.Tenant = fmt.Sprintf("%.1500s", f.Tenant)
			all = append(all, f)
		}
		return all
	}
	return map[string]notify.Message{
		"one":            notify.One(Failure(1, "permanent"), Base),
		"one-lost":       notify.One(lost, Base),
		"one-throttled":  notify.One(throttled, ""),
		"one-hostile":    notify.One(hostile, Base+"a|b&c"),
		"one-long":       notify.One(long, Base),
		"digest":         notify.Digest(many(999, Failure(6, "permanent")), Base),
		"digest-few":     notify.Digest(many(3, throttled), ""),
		"digest-hostile": notify.Digest(many(7, hostile), Base),
		"digest-long":    notify.Digest(many(7, long), Base),
		"test":           notify.Test(start, Base),
	}
}

// Random returns a message with random contents, some of them hostile.
func Random(r *rand.Rand) notify.Message {
	failures := make([]notify.Failure, []int{1, 2, 5, 6, 12}[r.IntN(5)])
	kind := pick(r, 300)
	for i := range failures {
		failures[i] = Failure(r.IntN(1000), kind)
		failures[i].Tenant, failures[i].Error = pick(r, 1000), pick(r, 3000)
		failures[i].Attempts, failures[i].Deliveries = r.IntN(5), r.IntN(5)
	}
	return notify.Digest(failures, []string{"", Base, "https://x.example/" + url.PathEscape(pick(r, 3000)),
		pick(r, 100)}[r.IntN(4)])
}

func pick(r *rand.Rand, limit int) string {
	pieces := []string{"&", "<", ">", "<!channel>", "<@U1>", "|", "𝄞", "é", "a", "  ", "\r\n", "\x00", "\xff", "\u202e",
		"\u2028", "{{", "*", "`", "\"", Hostile, kinds[r.IntN(4)]}
	one := pieces[r.IntN(len(pieces))]
	var b strings.Builder
	for length := r.IntN(limit); b.Len() < length; {
		if b.WriteString(one); r.IntN(3) == 0 {
			one = pieces[r.IntN(len(pieces))]
		}
	}
	return b.String()
}

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares got with a file in testdata. Run the test with -update to write the file.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s", file, got)
	}
}
