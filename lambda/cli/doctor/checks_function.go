package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/manifest"
)

// all returns the functions of a stack, fed by a queue or not.
func (f facts) all() (list []function) {
	for _, l := range f.lines {
		list = append(list, l.function)
	}
	return append(list, f.functions...)
}

func eachFunction(look func(function) result) func(facts) []result {
	return func(f facts) (results []result) {
		for _, fn := range f.all() {
			results = append(results, look(fn))
		}
		return results
	}
}

// publish completes a remedy: work reaches a version by its alias.
const publish = " Then publish a version, and point the alias live to it."

// architectures compares the functions, because one build is for one architecture.
func architectures(f facts) (results []result) {
	count := map[string]int{}
	for _, fn := range f.all() {
		if fn.runs.is {
			count[fn.runs.value.architecture]++
		}
	}
	names := slices.Sorted(maps.Keys(count))
	usual := ""
	if len(names) > 0 {
		usual = slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(count[a], count[b]) })
	}
	for _, fn := range f.all() {
		switch got := fn.runs.value.architecture; {
		case fn.runs.why() != "":
			results = append(results, skipped(fn.name, fn.runs.why()))
		case got != usual:
			do := fmt.Sprintf("Upload the code of %s with --architectures %s (aws lambda update-function-code).", fn.name, usual) + publish
			results = append(results, wrong(fn.name, do, "it runs on %s, all others on %s", got, usual))
		default:
			results = append(results, fine(fn.name, "it runs on %s", got))
		}
	}
	return results
}

const wantedRuntime = "provided.al2023"

func runtimes(fn function) result {
	switch got := fn.runs.value.runtime; {
	case fn.runs.why() != "":
		return skipped(fn.name, fn.runs.why())
	case got != wantedRuntime:
		do := fmt.Sprintf("Set Runtime of %s to %s.", fn.name, wantedRuntime) + publish
		return wrong(fn.name, do, "its runtime is %s", cmp.Or(got, "an image"))
	}
	return fine(fn.name, "its runtime is %s", wantedRuntime)
}

const wantedHandler = "bootstrap"

func handlers(fn function) result {
	switch got := fn.runs.value.handler; {
	case fn.runs.why() != "":
		return skipped(fn.name, fn.runs.why())
	case got != wantedHandler:
		do := fmt.Sprintf("Set Handler of %s to %s, and check that its code is ours.", fn.name, wantedHandler) + publish
		return doubtful(fn.name, do, "its handler is %.80s", got)
	}
	return fine(fn.name, "its handler is %s", wantedHandler)
}

// expected returns the manifest's facts about a function.
func (f *function) expected() (timeout time.Duration, memoryMB int) {
	if f.task.Name != "" {
		return f.task.Timeout, f.task.MemoryMB
	}
	return f.row.Timeout, f.row.MemoryMB
}

func memory(fn function) result {
	_, want := fn.expected()
	do := fmt.Sprintf("Set MemorySize of %s to %d.", fn.name, want) + publish
	switch got := fn.runs.value.memoryMB; {
	case fn.runs.why() != "":
		return skipped(fn.name, fn.runs.why())
	case 2*got < want:
		return wrong(fn.name, do, "it has %d MB of memory, less than half of its %d", got, want)
	case got < want:
		return doubtful(fn.name, do, "it has %d MB of memory, less than its %d", got, want)
	default:
		return fine(fn.name, "it has %d MB of memory", got)
	}
}

// timeouts doesn't judge longer ones: see visibility.
func timeouts(fn function) result {
	want, _ := fn.expected()
	if why := missing(fn.runs, fn.timeout); why != "" {
		return skipped(fn.name, why)
	}
	do := fmt.Sprintf("Set Timeout of %s to %d seconds.", fn.name, int(want.Seconds())) + publish
	switch got := fn.timeout.value; {
	case got <= manifest.SettleReserve:
		return wrong(fn.name, do, "its timeout is %s, and the last %s are kept for settling", short(got), short(manifest.SettleReserve))
	case got < want:
		return doubtful(fn.name, do, "its timeout is %s, less than its %s", short(got), short(want))
	default:
		return fine(fn.name, "its timeout is %s", short(got))
	}
}

func startable(fn function) result {
	do := fmt.Sprintf("Read StateReason and LastUpdateStatusReason of %s (aws lambda get-function-configuration), and repair their cause: "+
		"usually its role, subnets or key.", fn.name)
	switch {
	case fn.runs.why() != "":
		return skipped(fn.name, fn.runs.why())
	case fn.runs.value.failed != "":
		return wrong(fn.name, do, "Lambda can't start it: %s", fn.runs.value.failed)
	case fn.task.Name != "" && fn.reserved.is && fn.reserved.value == 0:
		return wrong(fn.name, fmt.Sprintf("Delete the reserved concurrency of %s.", fn.name), "its reserved concurrency is 0")
	}
	return fine(fn.name, "Lambda can start it")
}

func aliased(fn function) result {
	a := fn.alias.value
	do := fmt.Sprintf("Point the alias %s of %s to version %s, or deploy again.", cmp.Or(a.name, liveAlias), fn.name,
		cmp.Or(a.newest, "N, its newest"))
	switch {
	case fn.alias.why() != "":
		return skipped(fn.name, fn.alias.why())
	case fn.task.Deploys:
		return fine(fn.name, "deployments call it without an alias")
	case a.name == "":
		do = fmt.Sprintf("Create the alias %s of %s for its newest version.", liveAlias, fn.name)
		return wrong(fn.name, do, "missing alias %s", liveAlias)
	case a.version == latest:
		return wrong(fn.name, do, "its alias %s is %s, so new code takes work before its migrations", a.name, latest)
	case a.split:
		return doubtful(fn.name, "Let the deployment end, or route all of the alias's work to one version.",
			"its alias %s splits work between two versions", a.name)
	case a.newest != a.version:
		return doubtful(fn.name, do, "its alias %s is version %s, behind version %s", a.name, a.version, cmp.Or(a.newest, "unknown"))
	}
	return fine(fn.name, "its alias %s is its newest version, %s", a.name, a.version)
}

func plainSecrets(fn function) result {
	switch names := fn.plain.value; {
	case fn.plain.why() != "":
		return skipped(fn.name, fn.plain.why())
	case len(names) > 0:
		do := fmt.Sprintf("Put each value into Secrets Manager, its ARN into the variable with the suffix _SECRET_ARN, and "+
			"unset the variable itself in %s. Then replace the secret, since others may have read it.", fn.name)
		return doubtful(fn.name, do, "a secret is the value of %s", strings.Join(names, ", "))
	}
	return fine(fn.name, "no variable contains a secret")
}
