package contract

import (
	"time"

	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"
)

// needs has the facts of a function that decide about its variables and permissions.
type needs struct {
	name, purpose      string
	timeout, every     time.Duration
	memory, reserved   int
	optional, streams  bool
	queue              *manifest.Function // it feeds the function; nil: none
	retries            string             // the default of RETRY_SCHEDULE; empty: it isn't read
	people             bool               // notifies people of failures
	asks, namesModel   bool               // asks the model, or only names it
	publishes          []target
	rights             []permission.Right
	delivers           []manifest.Receiver
	files              []manifest.Access
	filesOptional      bool
	migrates, schedule bool
	repairs            bool
	tokens, login      bool
}

// target is a function with a queue to publish to.
type target struct {
	manifest.Function
	required bool // the publisher doesn't start without its variable
	chosen   bool // the user decides whether to publish to it
}

// all returns the functions in the manifest's order.
func all() (list []needs) {
	for _, f := range manifest.Functions() {
		n := needs{name: f.Name, purpose: f.Purpose, timeout: f.Timeout, memory: f.MemoryMB, reserved: -1, queue: &f,
			retries: f.FormatBackoff(), people: !f.Rowless, asks: f.AsksModel, files: f.Files,
			rights:    permission.OfFunction(f),
			publishes: append(to(f.PublishesTo, target{required: true}), to(f.MayPublishTo, target{chosen: true})...)}
		if f.Delivers.URL != "" {
			n.delivers = []manifest.Receiver{f.Delivers}
		}
		list = append(list, n)
	}
	sweep, migrate, schedule := ofTask(manifest.Sweep), ofTask(manifest.Migrate), ofTask(manifest.Schedule)
	sweep.people, sweep.retries = true, manifest.Match.FormatBackoff()
	for _, f := range manifest.Workloads() { // it needs one of them
		sweep.publishes = append(sweep.publishes, target{Function: f, required: f.First})
	}
	sweep.delivers = []manifest.Receiver{manifest.Sets, manifest.Events}
	migrate.migrates, schedule.schedule = true, true
	web, console := ofTask(manifest.Web), ofTask(manifest.Console)
	web.optional, web.namesModel, web.tokens, web.retries = true, true, true, manifest.Review.FormatBackoff()
	console.optional, console.login = true, true
	return append(list, sweep, migrate, schedule, web, console)
}

func ofTask(t manifest.Task) needs {
	n := needs{name: t.Name, purpose: t.Purpose, timeout: t.Timeout, every: t.Every, memory: t.MemoryMB, reserved: t.Instances,
		streams: t.URL, repairs: t.Repairs, files: t.Files, filesOptional: true,
		rights:    permission.OfTask(t, manifest.Functions()),
		publishes: append(to(t.PublishesTo, target{required: true}), to(t.AlsoPublishesTo, target{})...)}
	if n.reserved == 0 {
		n.reserved = -1
	}
	return n
}

// to returns t as the function with this name; nothing for an empty one.
func to(name string, t target) (list []target) {
	for _, f := range manifest.Functions() {
		if f.Name == name {
			t.Function = f
			list = append(list, t)
		}
	}
	return list
}
