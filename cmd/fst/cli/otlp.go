package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"fst/cmd/fst/otlp"
	"fst/lang/printable"
)

// lastDelivery is how long the end waits for a collector.
const lastDelivery = 3 * time.Second

// collector is the client of --otlp; nil without that option.
func (a *app) collector() (*otlp.Client, error) {
	inv := a.inv
	switch {
	case inv.otlp == "":
		return nil, nil
	case inv.mode != "" || inv.dryRun:
		return nil, errors.New("--otlp cannot be used with --test, --bench or --dry-run")
	}
	c, err := otlp.New(inv.otlp, os.Getenv(otlp.HeadersVariable), func(err error) {
		if !inv.noWarnings && !inv.live {
			fmt.Fprintf(a.stderr, "WARNING: nothing is delivered to %s: %v\n", printable.String(inv.otlp), err)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("invalid value for --otlp: %q (%w)", inv.otlp, err)
	}
	return c, nil
}

// leaveCollector ends the deliveries and reports what was not delivered.
func (a *app) leaveCollector(c *otlp.Client) {
	if lost, items, err := c.Close(lastDelivery); lost > 0 {
		reason := "too much was waiting"
		if err != nil {
			reason = err.Error()
		}
		fmt.Fprintf(a.stderr, "WARNING: %d of %d log records, spans and metric points were not delivered to %s: %s\n", lost, items, printable.String(a.inv.otlp), reason)
	}
}
