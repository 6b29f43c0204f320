package main

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/console"
	"matchbook/lambda/console/login"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/setup"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

type consoleOptions struct {
	session                  sessionOptions
	addr, tenant, role, name string
	open                     bool
	logOut                   string
	logOutAll                bool
}

func (w *invocation) consoleCommand() *cobra.Command {
	var o consoleOptions
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Serve the console on this machine",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.logOut != "" || o.logOutAll {
				return w.inSession(cmd.Context(), o.session, func(s *session) error { return s.logOut(o) })
			}
			o.name = cmp.Or(o.name, operator(w.Env))
			p, err := o.person()
			if err != nil {
				return err
			}
			return w.inSession(cmd.Context(), o.session, func(s *session) error { return s.console(o, p) })
		},
	}
	o.session.addKeep(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "listen on `HOST:PORT`; port 0 picks a free port")
	flags.StringVar(&o.tenant, "tenant", "", "show only the tenant with this `ID`")
	flags.StringVar(&o.role, "role", "operator", "viewer (reads) or operator (also decides and publishes)")
	flags.StringVar(&o.name, "by", "", "record decisions under this `NAME` (default the operating system's user)")
	flags.BoolVar(&o.open, "open", false, "open the console in the browser")
	flags.StringVar(&o.logOut, "log-out", "", "end the sessions of the `PERSON` with this ID or name at the deployed console instead")
	flags.BoolVar(&o.logOutAll, "log-out-all", false, "end all sessions at the deployed console instead")
	cli.Exclusive(cmd, "log-out", "log-out-all")
	return cmd
}

// logOut ends sessions of the deployed console. Whoever has one logs in again, with the roles that
// the person has then.
func (s *session) logOut(o consoleOptions) error {
	n, err := s.db.EndSessions(s.ctx, o.logOut)
	if err == nil {
		fmt.Fprintf(s.Out, "ended %s\n", plural.Of(int(n), "session"))
	}
	return err
}

func (o *consoleOptions) person() (p login.Person, err error) {
	var role login.Role
	if err := role.UnmarshalText([]byte(o.role)); err != nil {
		return p, fmt.Errorf("invalid --role %.50q: expected viewer or operator", o.role)
	}
	tenant, err := tenantFlag(o.tenant)
	return login.Person{ID: o.name, Name: o.name, Roles: map[uuid.UUID]login.Role{tenant: role}}, err
}

// console serves the pages until the session's context ends.
func (s *session) console(o consoleOptions, p login.Person) error {
	log := slog.New(slog.NewTextHandler(s.ErrOut, nil))
	for tenant := range p.Roles {
		if err := s.checkTenant(tenant); err != nil {
			return err
		}
	}
	queue, err := s.matchQueue()
	if err != nil {
		return err
	}
	config := setup.LoadFiles(s.Env)
	if s.keep != "" {
		config.Queues = nil // no function reads a private database
	}
	files, reads, err := console.OpenFiles(s.ctx, config)
	if err != nil {
		return err
	}
	handler, err := console.New(console.Config{DB: s.db, Sender: queue, Reads: reads, Files: files, Log: log})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", o.addr)
	if err != nil {
		return explain.Errorf("--addr: %w", err)
	}
	local := login.NewLocal(p)
	server := &http.Server{Handler: local.Handler(log, handler), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	link := fmt.Sprintf("http://%s%s", listener.Addr(), local.Link())
	fmt.Fprintf(s.Out, "%s\n", link)
	fmt.Fprintf(s.ErrOut, "The link works once, within %d minutes. Press Ctrl-C to stop.\n", int(login.LinkLife.Minutes()))
	if o.open {
		s.browse(link)
	}
	select {
	case err = <-ended:
		return err
	case <-s.ctx.Done():
		err = server.Close()
		<-ended
		return err
	}
}

// openers has the command to open a URL in the browser, by operating system.
var openers = map[string][]string{
	"linux": {"xdg-open"}, "darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// browse opens the link. Failing is fine, since the link is printed as well.
func (s *session) browse(link string) {
	command, ok := openers[runtime.GOOS]
	if !ok {
		command = openers["linux"]
	}
	if err := exec.CommandContext(s.ctx, command[0], append(command[1:], link)...).Start(); err != nil { //nolint:gosec // our own link
		fmt.Fprintln(s.ErrOut, "--open: browser not found; open the link yourself")
	}
}
