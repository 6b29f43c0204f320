package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/setup"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/google/uuid"
)

// sweeps makes the test binary the bootstrap of a sweep that has a row more than
// the deployed one. cmd/sweep has the rows of the manifest, and no lamps.
const sweeps = "LAMP_TEST_SWEEPS"

func TestMain(m *testing.M) {
	if os.Getenv(sweeps) == "" {
		os.Exit(m.Run())
	}
	if err := sweepAll(context.Background()); err != nil {
		slog.Error("cannot start", "reason", err.Error())
		os.Exit(1)
	}
}

func sweepAll(ctx context.Context) error {
	config, err := setup.LoadSweep(os.Getenv, []manifest.Function{manifest.Match, lamps.Function})
	if err != nil {
		return err
	}
	sweeper, close, err := setup.Sweep(ctx, config, slog.Default(), []setup.Workload{setup.Workloads()[0], lamps})
	if err != nil {
		return err
	}
	defer close()
	lambda.StartWithOptions(sweeper.Run, lambda.WithContext(ctx))
	return nil
}

// Lamps and documents share a stack. One sweep function repairs the rows of
// both, and so does the sweep of the stack.
func TestSweepRepairsBoth(t *testing.T) {
	t.Parallel()
	url := postgrestest.URL(t)
	r := newRig(t, url)
	s := r.stack(url,
		local.FunctionConfig{Row: lamps.Function, Table: lamps.Table, Bootstrap: build(t, lamps.Package)},
		local.FunctionConfig{Row: manifest.Match, Bootstrap: build(t, manifest.Match.Package)})
	self := must.Get(os.Executable())(t)
	sweep := lambdahost.New(lambdahost.Config{Name: "sweep", Bootstrap: self, Timeout: manifest.Sweep.Timeout,
		Env: append(s.Env(), sweeps+"=1")})
	defer sweep.Close()

	lamp, order := r.loseLamp(s), r.loseOrder(s)
	must.OK(t, s.Advance(t.Context(), manifest.Match.Visibility()+time.Second))
	report, err := sweep.Invoke(t.Context(), []byte(`{}`))
	if want := `{"overdue":2,"backlog":0,"inserted":0,"recovered":0,"republished":2,"lost":0,"crashed":0}`; err != nil || string(report) != want {
		t.Errorf("the sweep function returned %s, %v; want %s", report, err, want)
	}
	r.wantDone(s, lamp, order)
	r.wantDone(s, lamp, r.loseOrder(s)) // the lamp is done: the stack counts the rows of the second workload too
}

// loseLamp publishes a lamp whose message is never sent.
func (r *rig) loseLamp(s *local.Stack) uuid.UUID {
	r.Helper()
	id := r.insert(12)
	must.Get(s.Jobs.Publish(r.Context(), []uuid.UUID{id}))(r)
	return id
}

// loseOrder publishes a purchase order whose message is never sent.
func (r *rig) loseOrder(s *local.Stack) uuid.UUID {
	r.Helper()
	id := uuid.New()
	must.Get(s.DB.Add(r.Context(), []postgres.Imported{{ID: id, TenantID: uuid.Nil, Type: document.PurchaseOrder,
		Data: json.RawMessage(`{"number":"PO1","supplier":{"name":"S"}}`)}}, postgres.AddOptions{Replace: true, Send: true}))(r)
	return id
}

// wantDone drains the stack, and wants both rows to have succeeded.
func (r *rig) wantDone(s *local.Stack, lamp, order uuid.UUID) {
	r.Helper()
	must.OK(r, s.Drain(r.Context(), s.Unfinished))
	var ofLamp, ofOrder string
	r.scan("SELECT coalesce(status, 'none') FROM lamp WHERE id = $1", lamp, &ofLamp)
	r.scan("SELECT coalesce(matching_status, 'none') FROM document WHERE id = $1", order, &ofOrder)
	if ofLamp != "succeeded" || ofOrder != "succeeded" {
		r.Errorf("the lamp is %s and the order %s, want both succeeded", ofLamp, ofOrder)
	}
}
