package reviewrun

import (
	"crypto/rand"
	"log/slog"

	"matchbook/lambda/local"
	"matchbook/lambda/review/web"
)

// listen serves the page of the review on this machine, and prints its address
// with a token that is valid for this run only.
func (r *run) listen() error {
	tokens, err := web.NewTokens(rand.Text() + rand.Text())
	if err != nil {
		return err
	}
	reviews := r.Stack.DB.Reviews()
	url, stop, err := local.Serve("127.0.0.1:0", web.New(web.Config{Reviews: reviews, Control: reviews,
		Sender: r.Stack.Queue, Tokens: tokens, Log: slog.New(slog.NewTextHandler(r.Logs, nil))}))
	if err != nil {
		return err
	}
	r.OnClose(stop)
	r.Progress.Say("watch it at %s/reviews/%s/page?token=%s", url, r.id, tokens.ForJob(r.tenant, r.id))
	return nil
}
