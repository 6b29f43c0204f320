package notify

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Message is a message to a channel: one failure, or a digest of several of one kind.
type Message struct {
	Kind     string
	Subject  string      // the word for the failed rows: document
	Count    int         // of failures; more than 1 in a digest
	Tenants  int         // number of tenants affected
	Since    time.Time   // time of the first failure
	Until    time.Time   // time of the last failure
	Failures []Failure   // the first ones, up to Listed
	IDs      []uuid.UUID // of all notifications in the message
	Link     string      // to the document or the list of documents; may be empty
}

// Listed is the number of failures shown by a digest.
const Listed = 5

// One makes the message about one failure. Use base for the address of the admin pages, such
// as https://matchbook.example.com; without it, the message gets no link.
func One(f Failure, base string) Message { return Digest([]Failure{f}, base) }

// Digest makes the message about failures of one kind, in any order. There must be at least
// one; a single one gives the same as One.
func Digest(failures []Failure, base string) Message {
	failures = sorted(failures)
	first, last := failures[0].tidy(), failures[len(failures)-1]
	m := Message{Kind: first.Kind, Subject: first.subject(), Count: len(failures), Since: first.At,
		Until: last.At.UTC()}
	tenants := map[uuid.UUID]bool{}
	for i, f := range failures {
		tenants[f.TenantID] = true
		m.IDs = append(m.IDs, f.ID)
		if i < Listed {
			m.Failures = append(m.Failures, f.tidy())
		}
	}
	m.Tenants = len(tenants)
	switch {
	case m.Kind == KindTest:
		m.Link = link(base, "", "documents")
	case m.Count == 1 && first.page() != uuid.Nil:
		m.Link = link(base, "", "documents", first.page().String())
	case m.Subject != document: // only documents have pages
	case first.Warning:
		m.Link = link(base, "warning="+url.QueryEscape(m.Kind), "documents")
	default: // whole seconds, so that the list includes the first failure
		m.Link = link(base, fmt.Sprintf("matching_status=failed&kind=%s&since=%s",
			url.QueryEscape(m.Kind), url.QueryEscape(m.Since.Format(time.RFC3339))), "documents")
	}
	return m
}

// KindTest is the kind of a test message.
const KindTest = "test"

// Test makes a test message.
func Test(at time.Time, base string) Message {
	return One(Failure{Kind: KindTest, At: at,
		Error: "Nothing failed. This message only tests the channel."}, base)
}

// page returns the document with a page about the row; zero without one.
func (f Failure) page() uuid.UUID {
	if f.subject() == document {
		return f.SubjectID
	}
	return f.Document
}

func sorted(failures []Failure) []Failure {
	failures = slices.Clone(failures)
	slices.SortFunc(failures, func(a, b Failure) int {
		return cmp.Or(a.At.Compare(b.At), slices.Compare(a.ID[:], b.ID[:]))
	})
	return failures
}

// link returns "" if base is invalid, because a wrong address must not stop a message.
func link(base, query string, path ...string) string {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	u = u.JoinPath(path...)
	u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = query, false, "", ""
	if s := u.String(); len(s) <= maxLink {
		return s
	}
	return ""
}

// whatFailed has the words for a failed row of the workloads. Nobody outside knows chunks and jobs.
var whatFailed = map[string]string{document: "Matching failed", "ingestion": "Reading a file failed",
	"chunk": "Reviewing a contract failed", "job": "Composing match offers failed"}

// Title returns the subject line.
func (m Message) Title() string {
	subject := cmp.Or(m.Subject, document)
	failed := cmp.Or(whatFailed[subject], capital(subject)+" failed")
	if m.warns() {
		failed = "Warning"
	}
	switch {
	case m.Kind == KindTest:
		return "This is a test"
	case m.Subject == service && m.Count == 1:
		return capital(m.Kind) + ": " + m.Failures[0].Service
	case m.Subject == service:
		return fmt.Sprintf("%s of %d services", capital(m.Kind), m.Count)
	case m.Count == 1:
		return failed + ": " + m.Kind
	}
	return fmt.Sprintf("%s %d times: %s", failed, m.Count, m.Kind)
}

// warns reports whether this is a warning, so that nothing failed. A topic never mixes both.
func (m Message) warns() bool { return len(m.Failures) > 0 && m.Failures[0].Warning }

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// LinkText returns the text for Link.
func (m Message) LinkText() string {
	switch {
	case m.Kind == KindTest:
		return "All documents"
	case m.Count == 1:
		return "Open the document"
	case m.warns():
		return "All documents with this warning"
	}
	return "All failed documents of this kind"
}

// Fact is a line of a message.
type Fact struct{ Name, Value string }

const (
	moment = "2006-01-02 15:04:05 UTC"
	clock  = "15:04:05 UTC"
)

// Facts are the lines of a message. Every channel must show all of them. They don't include
// the errors; see Failures and Rest.
func (m Message) Facts() []Fact {
	switch {
	case m.Kind == KindTest:
		return []Fact{{"Sent at", m.Since.Format(moment)}}
	case m.Count == 1:
		return m.Failures[0].facts()
	}
	what := "Failures"
	if m.Subject == service {
		what = "Services"
	}
	if m.warns() {
		what = "Warnings"
	}
	facts := []Fact{
		{what, strconv.Itoa(m.Count)},
		{"Tenants", m.tenants()},
		{"First at", m.Since.Format(moment)},
		{"Last at", m.Until.Format(moment)},
	}
	if what == "Failures" {
		facts = append(facts, Fact{"Command", "matchbook status --failed"})
	}
	return facts
}

// Rest returns the number of failures not listed in a digest.
func (m Message) Rest() int { return m.Count - len(m.Failures) }

func (m Message) tenants() string {
	if m.Subject == service {
		return "all"
	}
	return strconv.Itoa(m.Tenants)
}

func (f Failure) facts() []Fact {
	if f.Subject == service {
		return []Fact{{"Service", f.Service}, {"Tenants", "all"}, {"Noticed at", f.At.Format(moment)}}
	}
	if f.Warning {
		return append(f.names(), Fact{"Noticed at", f.At.Format(moment)})
	}
	facts := append(f.names(), Fact{"Attempts", strconv.Itoa(f.Attempts)})
	if f.Deliveries > 0 {
		facts = append(facts, Fact{"Deliveries", f.deliveries()})
	}
	return append(facts, Fact{"Failed at", f.At.Format(moment)}, Fact{"Command", "matchbook status " + f.SubjectID.String()})
}

// names are the lines that identify the failed row.
func (f Failure) names() []Fact {
	facts := []Fact{{capital(f.subject()), f.SubjectID.String()}}
	if f.File != "" {
		facts = append(facts, Fact{f.fileWord(), f.File})
	}
	return append(facts, Fact{"Tenant", f.tenant()})
}

// fileWord returns the word for File.
func (f Failure) fileWord() string {
	if f.Subject == "chunk" {
		return "Contract"
	}
	return "File"
}

// tenant returns the name and the id; only the id without a name.
func (f Failure) tenant() string {
	if f.Tenant == "" || strings.HasSuffix(f.Tenant, f.TenantID.String()) {
		return f.TenantID.String()
	}
	return fmt.Sprintf("%s (%s)", f.Tenant, f.TenantID)
}

func (f Failure) deliveries() string {
	if f.Throttled() {
		return fmt.Sprintf("%d: throttled before it ran", f.Deliveries)
	}
	return strconv.Itoa(f.Deliveries)
}

// Heading returns the line above a failure's error in a digest.
func (f Failure) Heading() string {
	if f.Subject == service {
		return fmt.Sprintf("%s, %s", f.At.Format(clock), f.Service)
	}
	heading := fmt.Sprintf("%s, %s %s, tenant %s", f.At.Format(clock), f.subject(), f.SubjectID, f.tenant())
	if f.File != "" {
		heading += ", " + strings.ToLower(f.fileWord()) + " " + f.File
	}
	if f.Throttled() {
		heading += ", throttled before it ran"
	}
	return heading
}

// Text renders a message as plain text: for a mail, a terminal or a log.
func Text(m Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", m.Title())
	if m.Count == 1 {
		fmt.Fprintf(&b, "%s\n\n", m.Failures[0].Error)
	}
	for _, f := range m.Facts() {
		fmt.Fprintf(&b, "%-11s %s\n", f.Name+":", f.Value)
	}
	if m.Count > 1 {
		for _, f := range m.Failures {
			fmt.Fprintf(&b, "\n%s\n    %s\n", f.Heading(), f.Error)
		}
		if m.Rest() > 0 {
			fmt.Fprintf(&b, "\nand %d more\n", m.Rest())
		}
	}
	if m.Link != "" {
		fmt.Fprintf(&b, "\n%s: %s\n", m.LinkText(), m.Link)
	}
	return b.String()
}
