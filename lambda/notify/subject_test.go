package notify_test

import (
	"strings"
	"testing"

	"matchbook/lambda/notify"
)

// Failures of two workloads are never in one message, and each names its own.
func TestFailuresOfAnotherWorkloadHaveTheirOwnMessage(t *testing.T) {
	t.Parallel()
	lamp := failed(1, "permanent", 0)
	lamp.Subject = "lamp"
	send, _ := notify.Plan(ten, nil, []notify.Failure{lamp, failed(2, "permanent", 0)}, "https://example.com")
	if len(send) != 2 {
		t.Fatalf("%d messages, want 2: %+v", len(send), send)
	}
	for i, want := range []struct{ title, fact, link string }{
		{"Matching failed: permanent", "Document", "https://example.com/documents/"},
		{"Lamp failed: permanent", "Lamp", ""},
	} {
		m := send[i]
		if m.Title() != want.title || m.Facts()[0].Name != want.fact || !strings.HasPrefix(m.Link, want.link) ||
			(want.link == "") != (m.Link == "") {
			t.Errorf("got %q, %v, link %q; want %+v", m.Title(), m.Facts()[0], m.Link, want)
		}
	}
	if two := notify.Digest([]notify.Failure{lamp, lamp}, ""); two.Title() != "Lamp failed 2 times: permanent" {
		t.Errorf("got %q", two.Title())
	}
	if got, want := lamp.Topic(), "lamp permanent"; got != want {
		t.Errorf("topic %q, want %q", got, want)
	}
}
