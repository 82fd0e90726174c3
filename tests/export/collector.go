//go:build ignore

// Collector is OpenTelemetry's receiver, as collectors have it. It listens at an address for OTLP over HTTP, and writes a line for
// each request that it has accepted: the kind, and what it has read of it, encoded again, in base64.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

func show(kind string, request []byte, err error) error {
	if err == nil {
		fmt.Println(kind, base64.StdEncoding.EncodeToString(request))
	}
	return err
}

func main() {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": os.Args[1]}}}).Unmarshal(config)
	if err != nil {
		log.Fatal(err)
	}
	ctx, set := context.Background(), receivertest.NewNopSettings(factory.Type())
	logs, err := consumer.NewLogs(func(_ context.Context, l plog.Logs) error {
		text, err := (&plog.ProtoMarshaler{}).MarshalLogs(l)
		return show("logs", text, err)
	})
	if err != nil {
		log.Fatal(err)
	}
	metrics, err := consumer.NewMetrics(func(_ context.Context, m pmetric.Metrics) error {
		text, err := (&pmetric.ProtoMarshaler{}).MarshalMetrics(m)
		return show("metrics", text, err)
	})
	if err != nil {
		log.Fatal(err)
	}
	traces, err := consumer.NewTraces(func(_ context.Context, t ptrace.Traces) error {
		text, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(t)
		return show("traces", text, err)
	})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := factory.CreateLogs(ctx, set, config, logs); err != nil {
		log.Fatal(err)
	}
	if _, err := factory.CreateMetrics(ctx, set, config, metrics); err != nil {
		log.Fatal(err)
	}
	var receiver component.Component // one of the same configuration serves all kinds
	if receiver, err = factory.CreateTraces(ctx, set, config, traces); err != nil {
		log.Fatal(err)
	}
	if err := receiver.Start(ctx, componenttest.NewNopHost()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	receiver.Shutdown(ctx)
}
