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

// Message is one message to a channel: one failure, or a digest of many of one
// kind.
type Message struct {
	Kind     string
	Subject  string      // the kind of row that failed, in a word: document
	Count    int         // of failures; 1: not a digest
	Tenants  int         // the number of their tenants
	Since    time.Time   // the time of the first of them
	Until    time.Time   // and the last
	Failures []Failure   // the first Listed of them
	IDs      []uuid.UUID // of the notifications in it, all of them
	Link     string      // to the document or the list of documents; may be empty
}

// Listed is the number of failures that a digest shows.
const Listed = 5

// One makes the message about a failure. base is the address of the admin
// pages, such as https://matchbook.example.com; without it the message has no link.
func One(f Failure, base string) Message { return Digest([]Failure{f}, base) }

// Digest makes the message about failures of one kind, at least one, in any
// order. Of a single one it makes the same as One.
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
	case m.Subject != document: // which has the only pages
	case m.Count == 1:
		m.Link = link(base, "", "documents", first.SubjectID.String())
	case first.Warning:
		m.Link = link(base, "warning="+url.QueryEscape(m.Kind), "documents")
	default: // whole seconds, so that the first is in the list
		m.Link = link(base, fmt.Sprintf("matching_status=failed&kind=%s&since=%s",
			url.QueryEscape(m.Kind), url.QueryEscape(m.Since.Format(time.RFC3339))), "documents")
	}
	return m
}

// KindTest is the kind of a test message, sent to see whether it arrives.
const KindTest = "test"

// Test makes a test message.
func Test(at time.Time, base string) Message {
	return One(Failure{Kind: KindTest, At: at,
		Error: "Nothing failed. This message was sent to see whether it arrives."}, base)
}

// sorted returns the failures by time, and at the same time by id.
func sorted(failures []Failure) []Failure {
	failures = slices.Clone(failures)
	slices.SortFunc(failures, func(a, b Failure) int {
		return cmp.Or(a.At.Compare(b.At), slices.Compare(a.ID[:], b.ID[:]))
	})
	return failures
}

// link returns "" if base cannot be the address of a page: a wrong one must not
// stop a message.
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

// Title is a line with the subject of the message.
func (m Message) Title() string {
	failed := "Matching failed"
	if subject := cmp.Or(m.Subject, document); subject != document {
		failed = capital(subject) + " failed"
	}
	if m.warns() {
		failed = "Warning"
	}
	switch {
	case m.Kind == KindTest:
		return "This is a test"
	case m.Count == 1:
		return failed + ": " + m.Kind
	}
	return fmt.Sprintf("%s %d times: %s", failed, m.Count, m.Kind)
}

// warns reports whether nothing failed: a topic has warnings only or none.
func (m Message) warns() bool { return len(m.Failures) > 0 && m.Failures[0].Warning }

// capital begins a word with a capital letter.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// LinkText names the target of Link.
func (m Message) LinkText() string {
	switch {
	case m.Kind == KindTest:
		return "All documents"
	case m.Count == 1:
		return "Open the document"
	case m.warns():
		return "All documents with such a warning"
	}
	return "All failed documents of this kind"
}

// Fact is a line of a message.
type Fact struct{ Name, Value string }

const (
	moment = "2006-01-02 15:04:05 UTC"
	clock  = "15:04:05 UTC"
)

// Facts are the lines of a message, of which every channel shows all. The
// errors are not among them: see Failures and Rest.
func (m Message) Facts() []Fact {
	switch {
	case m.Kind == KindTest:
		return []Fact{{"Sent at", m.Since.Format(moment)}}
	case m.Count == 1:
		return m.Failures[0].facts()
	}
	what := "Failures"
	if m.warns() {
		what = "Warnings"
	}
	return []Fact{
		{what, strconv.Itoa(m.Count)},
		{"Tenants", strconv.Itoa(m.Tenants)},
		{"First at", m.Since.Format(moment)},
		{"Last at", m.Until.Format(moment)},
	}
}

// Rest returns the number of failures of a digest that are not listed.
func (m Message) Rest() int { return m.Count - len(m.Failures) }

func (f Failure) facts() []Fact {
	if f.Warning {
		return []Fact{{capital(f.subject()), f.SubjectID.String()}, {"Tenant", f.tenant()}, {"Noticed at", f.At.Format(moment)}}
	}
	facts := []Fact{
		{capital(f.subject()), f.SubjectID.String()},
		{"Tenant", f.tenant()},
		{"Attempts", strconv.Itoa(f.Attempts)},
	}
	if f.Deliveries > 0 {
		facts = append(facts, Fact{"Deliveries", f.deliveries()})
	}
	return append(facts, Fact{"Failed at", f.At.Format(moment)})
}

// tenant returns the name and the id; only the id if the tenant has no name.
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

// Heading is the line above the error of a failure that a digest lists.
func (f Failure) Heading() string {
	heading := fmt.Sprintf("%s, %s %s, tenant %s", f.At.Format(clock), f.subject(), f.SubjectID, f.tenant())
	if f.Throttled() {
		heading += ", throttled before it ran"
	}
	return heading
}

// Text renders a message without any format: for a mail, a terminal, a log.
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
