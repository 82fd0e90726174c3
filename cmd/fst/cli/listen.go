package cli

import (
	"crypto/rand"
	"errors"
	"fmt"

	"fst/cmd/fst/listen"
	"fst/scripts"
)

// server listens for the clients of --listen, who wait until it serves; nil without that option.
func (a *app) server() (*listen.Server, error) {
	inv := a.inv
	switch {
	case inv.web && inv.format != "text":
		return nil, fmt.Errorf("a live page and -f %s cannot be used together: --also %s=FILE writes it to a file as well", inv.format, inv.format)
	case inv.web && inv.output != "":
		return nil, errors.New("a live page and -o cannot be used together: --also text=FILE writes the output to a file as well")
	case inv.web && inv.live:
		return nil, errors.New("--web and --live cannot be used together")
	case inv.web && (inv.mode != "" || inv.dryRun):
		return nil, errors.New("a live page cannot be used with --test, --bench or --dry-run")
	case inv.web && inv.listen == "":
		inv.listen = ":0" // any port
	case inv.listen == "" && inv.tokenFile == "":
		return nil, nil
	case inv.listen == "":
		return nil, errors.New("--listen-token is for --listen")
	case inv.mode != "" || inv.dryRun:
		return nil, errors.New("--listen cannot be used with --test, --bench or --dry-run")
	}
	token, err := "", error(nil)
	if inv.tokenFile != "" {
		if token, err = listen.Token(inv.tokenFile); err != nil {
			return nil, scripts.OfOption("--listen-token", err)
		}
	}
	if inv.web && token == "" {
		token = rand.Text()
	}
	s, err := listen.Listen(inv.listen, token)
	if err != nil {
		return nil, scripts.OfOption("--listen", fmt.Errorf("%q: %w", inv.listen, err))
	}
	return s, nil
}

// web is the subcommand: a live page of a program.
func (a *app) web(words []string) int {
	if code, done := a.takesProgram("web", "web needs a tool, a script or -e 'PROGRAM'", append([]string{"--web"}, words...)); done {
		return code
	}
	if err := a.openKernel(); err != nil {
		return a.fail(err)
	}
	return a.run()
}

// endSite has browsers see the end of a session, and stay, if the program has ended by itself, until the user wants the end.
func (b *bounds) endSite(s *listen.Server) {
	if b.asked.Err() == nil {
		fmt.Fprintf(b.app.stderr, "The program has ended; Ctrl-C ends its page, too\n")
		<-b.asked.Done()
	}
	s.Linger()
}

// tellServer says where the metrics are.
func (a *app) tellServer(s *listen.Server) {
	if a.inv.web {
		fmt.Fprintf(a.stderr, "The page is at %s\n", s.SiteURL())
		return
	}
	if s.Token() != "" && a.inv.tokenFile == "" { // it was made here
		fmt.Fprintf(a.stderr, "Metrics are at %s, with the header Authorization: Bearer %s\n", s.URL(), s.Token())
	} else if !a.inv.quiet {
		fmt.Fprintf(a.stderr, "Metrics are at %s\n", s.URL())
	}
}
