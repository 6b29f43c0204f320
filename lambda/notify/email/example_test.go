package email_test

import (
	"context"
	"fmt"
	"time"

	"matchbook/lambda/notify"
	"matchbook/lambda/notify/email"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
)

// printer stands for *sesv2.Client, which sesv2.NewFromConfig makes.
type printer struct{}

func (printer) SendEmail(_ context.Context, mail *sesv2.SendEmailInput,
	_ ...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error) {
	fmt.Println(*mail.Content.Simple.Subject.Data)
	return &sesv2.SendEmailOutput{MessageId: new("1")}, nil
}

func Example() {
	sender, err := email.New(printer{}, email.Config{From: "Matchbook <matchbook@example.com>",
		To: "ops@example.com, team@example.com"})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = sender.Send(context.Background(), notify.Test(time.Now(), "https://matchbook.example.com"))
	fmt.Println(sender, err)
	// Output:
	// Matchbook: This is a test: Nothing failed. This message only tests the channel.
	// email.Sender <nil>
}
