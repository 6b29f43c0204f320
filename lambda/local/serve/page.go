package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"matchbook/lambda/console"
	"matchbook/lambda/console/login"
	"matchbook/lambda/console/login/oidc"
	"matchbook/lambda/failure"
	"matchbook/lambda/function/web"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"
)

// openPages serves the console, the API of reviews, health and metrics at one address.
func (s *Server) openPages(ctx context.Context) error {
	reviews, err := s.reviews(ctx)
	if err != nil {
		return err
	}
	desk, link, err := s.console(ctx)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/reviews", reviews)
	mux.Handle("/reviews/", reviews)
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.Handle("GET /metrics", s.metrics)
	mux.Handle("/", desk)
	if err := s.handle(mux); err != nil || link == nil {
		return err
	}
	s.writeLink(link.Link())
	return nil
}

func (s *Server) reviews(ctx context.Context) (http.Handler, error) {
	c, err := setup.LoadWeb(s.of(manifest.Review))
	if err != nil {
		return nil, err
	}
	c.SQS = s.sqs.Client()
	pages, stop, err := web.Pages(ctx, c, s.log, manifest.Web.Timeout-manifest.StreamReserve)
	if err == nil {
		s.onClose(stop)
	}
	return pages, err
}

// console returns the pages for people. They log in at the OpenID Connect issuer if one is set,
// otherwise by a link in the data folder, on this machine only.
func (s *Server) console(ctx context.Context) (desk http.Handler, link *login.Local, err error) {
	queue, err := setup.Config{SQS: s.sqs.Client()}.OpenQueue(ctx, variable.MatchQueueURL, s.env(variable.MatchQueueURL))
	if err != nil {
		return nil, nil, err
	}
	config := setup.LoadFiles(s.env)
	config.SQS = s.sqs.Client()
	files, reads, err := console.OpenFiles(ctx, config)
	if err != nil {
		return nil, nil, err
	}
	var offers job.Sender
	if url := s.env(manifest.Offer.QueueEnv()); url != "" {
		if offers, err = config.OpenQueue(ctx, manifest.Offer.QueueEnv(), url); err != nil {
			return nil, nil, err
		}
	}
	pages, err := console.New(console.Config{DB: s.db, Sender: queue, Reads: reads, Offers: offers, Files: files, Log: s.log})
	if err != nil {
		return nil, nil, err
	}
	if s.config.Env(variable.OIDCIssuer) != "" {
		c, err := setup.LoadConsole(s.env)
		if err != nil {
			return nil, nil, err
		}
		return login.Handler(login.Config{Method: oidc.New(oidc.Config(c.Login)), Store: s.db, Log: s.log}, pages), nil, nil
	}
	link = login.NewStanding(s.config.Person, s.writeLink)
	return link.Handler(s.log, pages), link, nil
}

// Check refuses an address that others reach but nobody can log in at.
func (c Config) Check() error {
	if loopback(c.Addr) || c.Env(variable.OIDCIssuer) != "" {
		return nil
	}
	return fmt.Errorf("--addr %s: people log in by a link on this machine only; set %s, %s and %s, "+
		"or listen on 127.0.0.1", c.Addr, variable.OIDCIssuer, variable.OIDCClientID, variable.AdminBaseURL)
}

// loopback reports whether only this machine reaches the address. Without a host it does; an
// invalid address is left to local.Serve.
func loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip := net.ParseIP(host)
	return err != nil || host == "" || host == "localhost" || ip != nil && ip.IsLoopback()
}

// writeLink keeps the current link in the data folder, for the owner of the folder alone.
func (s *Server) writeLink(path string) {
	err := os.WriteFile(s.LinkFile(), []byte(s.URL+path+"\n"), 0o600)
	if err != nil {
		s.log.Error("link not written", "reason", err.Error())
	}
}

// LinkFile returns the file with a link that logs a browser in. Each link works once; then the
// file has the next one.
func (s *Server) LinkFile() string { return filepath.Join(s.config.Data, linkFile) }

// health knows the last sweep.
type health struct {
	mu   sync.Mutex
	at   time.Time
	last error
}

func (h *health) swept(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at, h.last = time.Now(), err
}

// stale is the age of the last sweep above which the process is unhealthy.
const stale = 2 * time.Minute

func (h *health) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.at.IsZero():
		return errors.New("first sweep not finished")
	case h.last != nil:
		return errors.New(failure.Of(h.last).Text)
	case time.Since(h.at) > stale:
		return fmt.Errorf("missing sweep for %s", time.Since(h.at).Round(time.Second))
	}
	return nil
}

// healthz answers 200 while the sweep runs without an error, otherwise 503 with the reason.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err := s.health.check(); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, err)
		return
	}
	fmt.Fprintln(w, "ok")
}
