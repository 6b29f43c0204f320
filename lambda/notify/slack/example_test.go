package slack_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"matchbook/lambda/notify"
	"matchbook/lambda/notify/slack"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "ok")
	}))
	defer server.Close()

	sender, err := slack.New(slack.Config{WebhookURL: server.URL + "/services/T000/B000/XXXX"})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sender.Send(context.Background(), notify.Test(time.Now(), "https://matchbook.example.com"))
	fmt.Println(sender, err)
	// Output: slack.Sender <nil>
}
