//go:build ignore

// Dashboard reads dashboards of Grafana, a JSON object each, as Grafana's own schema has them, and writes what each panel is.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/heatmap"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

func main() {
	known := cog.NewRuntime()
	known.RegisterPanelcfgVariant(timeseries.VariantConfig())
	known.RegisterPanelcfgVariant(heatmap.VariantConfig())
	known.RegisterPanelcfgVariant(table.VariantConfig())
	known.RegisterDataqueryVariant(prometheus.VariantConfig())
	input := json.NewDecoder(os.Stdin)
	for {
		var text json.RawMessage
		if err := input.Decode(&text); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		var strict, d dashboard.Dashboard
		for _, err := range []error{strict.UnmarshalJSONStrict(text), json.Unmarshal(text, &d), d.Validate()} {
			if err != nil && err.Error() != "" { // the module returns empty lists of errors, too, and leaves out the panels then
				log.Fatal(err)
			}
		}
		for _, p := range d.Panels {
			for _, q := range p.Panel.Targets {
				query, ok := q.(*prometheus.Dataquery)
				if !ok {
					log.Fatalf("%T", q)
				}
				fmt.Printf("%s: %s\n", p.Panel.Type, query.Expr)
			}
		}
	}
}
