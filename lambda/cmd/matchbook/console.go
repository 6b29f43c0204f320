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

	"matchbook/lambda/console"
	"matchbook/lambda/console/login"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

// consoleOptions are the flags of console.
type consoleOptions struct {
	session                  sessionOptions
	addr, tenant, role, name string
	open                     bool
}

func (w *invocation) consoleCommand() *cobra.Command {
	var o consoleOptions
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Serve pages that show documents and take decisions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
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
	flags.StringVar(&o.addr, "addr", "127.0.0.1:0", "the address to serve at; port 0 is a free one")
	flags.StringVar(&o.tenant, "tenant", "", "the id of the only tenant that is shown")
	flags.StringVar(&o.role, "role", "operator", "viewer, who reads, or operator, who also decides and publishes")
	flags.StringVar(&o.name, "by", "", "the name that decisions have; the user of the operating system by default")
	flags.BoolVar(&o.open, "open", false, "open the pages in the browser")
	return cmd
}

// person reads the flags.
func (o *consoleOptions) person() (p login.Person, err error) {
	var role login.Role
	if err := role.UnmarshalText([]byte(o.role)); err != nil {
		return p, fmt.Errorf("--role %.50q is neither viewer nor operator", o.role)
	}
	tenant, err := tenantFlag(o.tenant)
	return login.Person{ID: o.name, Name: o.name, Roles: map[uuid.UUID]login.Role{tenant: role}}, err
}

// console serves the pages until the context ends.
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
	handler, err := console.New(console.Config{DB: s.db, Sender: queue, Log: log})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", o.addr)
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	local := login.NewLocal(p)
	server := &http.Server{Handler: local.Handler(log, handler), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	link := fmt.Sprintf("http://%s%s", listener.Addr(), local.Link())
	fmt.Fprintf(s.Out, "%s\n", link)
	fmt.Fprintf(s.ErrOut, "The link works once, for %d minutes. Ctrl-C ends the console.\n", int(login.LinkLife.Minutes()))
	if o.open {
		s.browse(link)
	}
	select {
	case err = <-ended:
		return err
	case <-s.ctx.Done(): // as it is meant to end
		err = server.Close()
		<-ended
		return err
	}
}

// openers open an address in a browser, by operating system.
var openers = map[string][]string{
	"linux": {"xdg-open"}, "darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// browse opens the address. The link was printed, for a machine without a browser.
func (s *session) browse(link string) {
	command, ok := openers[runtime.GOOS]
	if !ok {
		command = openers["linux"]
	}
	if err := exec.CommandContext(s.ctx, command[0], append(command[1:], link)...).Start(); err != nil { //nolint:gosec // our own link
		fmt.Fprintln(s.ErrOut, "--open: no browser was found")
	}
}
