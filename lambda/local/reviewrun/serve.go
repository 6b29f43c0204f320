package reviewrun

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"time"

	"matchbook/lambda/review/web"
)

// listen serves the page of the review on this machine, and prints its address
// with a token that is valid for this run only.
func (r *run) listen(ctx context.Context) error {
	tokens, err := web.NewTokens(rand.Text() + rand.Text())
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	reviews := r.stack.DB.Reviews()
	handler := web.New(web.Config{Reviews: reviews, Control: reviews, Sender: r.stack.Queue, Tokens: tokens,
		Log: slog.New(slog.NewTextHandler(r.logs, nil))})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // ends with Close
	}()
	r.cleanup = append(r.cleanup, func() error {
		err := server.Close()
		<-ended
		return err
	})
	r.progress.Say("watch it at http://%s/reviews/%s/page?token=%s", listener.Addr(), r.id, tokens.ForJob(r.tenant, r.id))
	return nil
}
