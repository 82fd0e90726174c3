package cli

import (
	"errors"
	"fmt"

	"fst/cmd/fst/listen"
	"fst/scripts"
)

// server listens for the clients of --listen, who wait until it serves; nil without that option.
func (a *app) server() (*listen.Server, error) {
	inv := a.inv
	switch {
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
	s, err := listen.Listen(inv.listen, token)
	if err != nil {
		return nil, scripts.OfOption("--listen", fmt.Errorf("%q: %w", inv.listen, err))
	}
	return s, nil
}

// tellServer says where the metrics are.
func (a *app) tellServer(s *listen.Server) {
	if s.Token() != "" && a.inv.tokenFile == "" { // it was made here
		fmt.Fprintf(a.stderr, "Metrics are at %s, with the header Authorization: Bearer %s\n", s.URL(), s.Token())
	} else if !a.inv.quiet {
		fmt.Fprintf(a.stderr, "Metrics are at %s\n", s.URL())
	}
}
