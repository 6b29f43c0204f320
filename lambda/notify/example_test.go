package notify_test

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/notify"

	"github.com/google/uuid"
)

// Three documents fail of a wrong key; the first failure is sent at once, the
// others when the minute is over.
func Example() {
	var channel notify.Recorder
	last := map[string]time.Time{} // when the channel took the last message of a kind
	ten := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	failure := func(n int, at time.Time) notify.Failure {
		return notify.Failure{
			ID: uuid.New(), At: at, Kind: "permanent",
			Error:     "ask the model: model provider denied access (HTTP 401)",
			SubjectID: uuid.UUID{15: byte(n)}, TenantID: uuid.UUID{15: 9}, Tenant: "Acme GmbH",
			Attempts: 1, Deliveries: 1,
		}
	}
	look := func(now time.Time, pending ...notify.Failure) {
		send, until := notify.Plan(now, last, pending, "https://matchbook.example.com")
		for _, m := range send {
			if channel.Send(context.Background(), m) == nil {
				last[m.Kind] = now // and the rows of m.IDs are marked as sent
			}
		}
		fmt.Println(now.Format(time.TimeOnly), "messages:", len(send), "wait:", !until.IsZero())
	}
	one, two, three := failure(1, ten), failure(2, ten.Add(time.Second)), failure(3, ten.Add(2*time.Second))
	look(ten, one)
	look(ten.Add(2*time.Second), two, three)
	look(ten.Add(time.Minute), two, three)
	fmt.Print("\n", notify.Text(channel.Sent()[1]))
	// Output:
	// 10:00:00 messages: 1 wait: false
	// 10:00:02 messages: 0 wait: true
	// 10:01:00 messages: 1 wait: false
	//
	// Matching failed 2 times: permanent
	//
	// Failures:   2
	// Tenants:    1
	// First at:   2026-03-02 10:00:01 UTC
	// Last at:    2026-03-02 10:00:02 UTC
	// Command:    matchbook status --failed
	//
	// 10:00:01 UTC, document 00000000-0000-0000-0000-000000000002, tenant Acme GmbH (00000000-0000-0000-0000-000000000009)
	//     ask the model: model provider denied access (HTTP 401)
	//
	// 10:00:02 UTC, document 00000000-0000-0000-0000-000000000003, tenant Acme GmbH (00000000-0000-0000-0000-000000000009)
	//     ask the model: model provider denied access (HTTP 401)
	//
	// All failed documents of this kind: https://matchbook.example.com/documents?matching_status=failed&kind=permanent&since=2026-03-02T10%3A00%3A01Z
}
