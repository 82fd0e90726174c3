// Command exporter runs a script and serves its maps as metrics over HTTP, in the text form
// of Prometheus:
//
//	exporter -addr localhost:9100 script.fst PARAM...
//
// A map is a metric, its name and unit are the map's, and its labels the parts of the key.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"fst"
)

func main() {
	addr := flag.String("addr", "localhost:9100", "where to serve /metrics")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("exporter: the script is missing")
	}
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	if err := export(ctx, listener, string(text), fst.Options{Name: flag.Arg(0), Params: fst.Params{Words: flag.Args()[1:]}}); err != nil {
		log.Fatal(err)
	}
}

// export serves the maps of a script until ctx is done or the script ends.
func export(ctx context.Context, listener net.Listener, text string, o fst.Options) error {
	defer listener.Close()
	prog, err := fst.Compile(text, o)
	if err != nil {
		return err
	}
	session, err := prog.Start(ctx, fst.RunOptions{Maps: fst.MapsNever})
	if err != nil {
		return err
	}
	defer session.Close()
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { serve(w, session) })}
	go server.Serve(listener)
	defer server.Close()
	for event, err := range session.Events() {
		if err != nil {
			return err
		}
		log.Print(event) // a warning, or what the script says
	}
	return nil
}

// serve answers a scrape.
func serve(w http.ResponseWriter, session *fst.Session) {
	var page bytes.Buffer
	if err := write(&page, session); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	page.WriteTo(w)
}

func write(w io.Writer, session *fst.Session) error {
	for _, m := range session.Maps() {
		all, err := m.Read()
		if err != nil {
			return err
		}
		metric := "fst_" + strings.TrimPrefix(all.Map, "@")
		if all.Unit != "" && all.Unit != "count" {
			metric += "_" + all.Unit
		}
		for _, entry := range all.Entries {
			writeEntry(w, metric, labels(entry.Key), entry.Value)
		}
	}
	losses, err := session.Losses()
	for _, l := range losses {
		fmt.Fprintf(w, "fst_lost_total{clause=\"%d\",kind=%q,line=\"%d\"} %d\n", l.Clause, l.Kind, l.Line, l.Count)
	}
	return err
}

// labels are the parts of a key.
func labels(key fst.Fields) (list []string) {
	for _, f := range key {
		list = append(list, f.Name+"="+strconv.Quote(fmt.Sprint(f.Value)))
	}
	return list
}

func writeEntry(w io.Writer, metric string, labels []string, value any) {
	sample := func(suffix string, n any, more ...string) {
		all := strings.Join(append(labels[:len(labels):len(labels)], more...), ",")
		if all != "" {
			all = "{" + all + "}"
		}
		fmt.Fprintf(w, "%s%s%s %v\n", metric, suffix, all, n)
	}
	switch v := value.(type) {
	case int64, uint64:
		sample("", v)
	case []fst.Bucket:
		sum := uint64(0)
		for _, b := range v {
			sum += b.Count
			if b.Max < math.MaxInt64 {
				sample("_bucket", sum, fmt.Sprintf("le=\"%d\"", b.Max))
			}
		}
		sample("_bucket", sum, `le="+Inf"`)
		sample("_count", sum)
	case fst.Stats:
		sample("_sum", v.Total)
		sample("_count", v.Count)
	case fst.Quantiles:
		for _, q := range []struct {
			name string
			of   int64
		}{{"0.5", v.P50}, {"0.9", v.P90}, {"0.99", v.P99}, {"0.999", v.P999}} {
			sample("", q.of, fmt.Sprintf("quantile=%q", q.name))
		}
		sample("_count", v.Count)
	}
}
