package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/doctor/policy"
	"matchbook/lambda/internal/plural"
)

// scheduled looks for the schedule of each function that needs one.
func scheduled(f facts) (results []result) {
	for _, fn := range f.functions {
		if fn.task.Every == 0 {
			continue
		}
		if why := missing(f.schedules, fn.runs); why != "" {
			results = append(results, skipped(fn.name, why))
			continue
		}
		starts := func(s schedule) bool { return unqualified(s.target) == unqualified(fn.runs.value.arn) }
		if i := slices.IndexFunc(f.schedules.value, starts); i >= 0 {
			results = append(results, timely(fn, f.schedules.value[i]))
			continue
		}
		do := fmt.Sprintf("Create a schedule with %s for the alias %s of %s; infra/schedule.go has the stack's.",
			rate(fn.task.Every), liveAlias, fn.name)
		results = append(results, wrong(fn.name, do, "no schedule starts it%s", instead(f.schedules.value, fn.name)))
	}
	return results
}

// instead tells more about a missing schedule, from the one with the function's name.
func instead(all []schedule, name string) string {
	for _, s := range all {
		switch {
		case s.name == name && s.gone:
			return ": the schedule " + s.name + " was deleted"
		case s.name == name:
			return fmt.Sprintf(": the schedule %s starts %s", s.name, s.target)
		}
	}
	return ""
}

func timely(fn function, s schedule) result {
	want := rate(fn.task.Every)
	if s.rate == hourly && !fn.task.Repairs {
		want = hourly
	}
	switch {
	case s.off:
		return wrong(s.name, "Enable the schedule.", "the schedule of %s is disabled", fn.name)
	case s.ended:
		return wrong(s.name, "Remove EndDate of the schedule.", "the schedule of %s has ended", fn.name)
	case qualifier(s.target) == latest:
		return wrong(s.name, fmt.Sprintf("Set the target of the schedule to the alias %s of %s.", liveAlias, fn.name),
			"the schedule starts %s of %s, so new code runs before its migrations", latest, fn.name)
	case s.rate != want:
		return doubtful(s.name, fmt.Sprintf("Set ScheduleExpression of the schedule to %s.", want),
			"the schedule of %s is %.40s, instead of %s", fn.name, s.rate, want)
	}
	return fine(s.name, "it starts %s: %s", fn.name, s.rate)
}

// hourly is the schedule of offers in a stack with a database that pauses.
const hourly = "cron(0 * * * ? *)"

// rate is a period as EventBridge Scheduler has it.
func rate(every time.Duration) string {
	return "rate(" + plural.Of(int(every.Minutes()), "minute") + ")"
}

const created = "s3:ObjectCreated:*"

// notified checks that S3 reports new files to the function's queue, and may.
func notified(f facts) (results []result) {
	for _, l := range f.lines {
		if l.row.Watches == "" {
			continue
		}
		if why := missing(l.watch, l.queue); why != "" {
			results = append(results, skipped(l.name, why))
			continue
		}
		results = append(results, reported(l), maySend(l))
	}
	return results
}

func reported(l line) result {
	bucket, id, folder := l.watch.value.bucket, l.queue.value.id, l.row.Watches
	do := fmt.Sprintf("Let the bucket send %s of %s to the queue %s.", created, folder, l.queue.value.name)
	ours := func(to toQueue) bool { return to.queue == id }
	i := slices.IndexFunc(l.watch.value.to, ours)
	if i < 0 {
		elsewhere := "to no queue"
		if to := l.watch.value.to; len(to) > 0 {
			elsewhere = "to " + to[0].queue
		}
		return wrong(bucket, do, "it reports new files %s, not to %s", elsewhere, id)
	}
	switch to := l.watch.value.to[i]; {
	case !slices.Contains(to.events, created):
		return wrong(bucket, do, "it reports only %s", strings.Join(to.events, ", "))
	case !strings.HasPrefix(folder, to.prefix):
		return wrong(bucket, do, "it reports only files below %.80s, not %s", to.prefix, folder)
	case to.suffix != "":
		return wrong(bucket, do, "it reports only files that end in %.80s", to.suffix)
	case to.prefix != folder:
		return wrong(bucket, do, "it reports files outside of %s as well", folder)
	}
	return fine(bucket, "it reports new files in %s", folder)
}

func maySend(l line) result {
	q := l.queue.value
	p, _ := placeOf(l.runs.value.arn)
	request := policy.Request{Action: "sqs:SendMessage", Resource: p.queue(q.id), Principal: "s3.amazonaws.com",
		Context: map[string]string{"aws:sourceaccount": p.account, "aws:securetransport": "true",
			"aws:sourcearn": "arn:" + p.partition + ":s3:::" + l.watch.value.bucket}}
	document, err := policy.Parse(q.policy)
	if q.policy != "" && err != nil {
		return skipped(q.name, err.Error())
	}
	switch policy.Decide([]policy.Document{document}, request) {
	case policy.Allowed:
		return fine(q.name, "S3 may send to it")
	case policy.Unclear, policy.Doubtful:
		return skipped(q.name, "an unknown condition decides whether S3 may send to it")
	}
	return wrong(q.name, fmt.Sprintf("Allow s3.amazonaws.com to call sqs:SendMessage on %s in its policy, for the bucket %s.",
		q.name, l.watch.value.bucket), "S3 may not send to it")
}

func alarmed(f facts) (results []result) {
	if why := f.alarms.why(); why != "" {
		return []result{skipped("", why)}
	}
	for _, a := range f.alarms.value {
		switch {
		case a.gone:
			results = append(results, doubtful(a.name, "Create the alarm, as in the stack's template.", "the alarm was deleted"))
		case a.actions == 0:
			results = append(results, doubtful(a.name, "Add the topic of alarms to the alarm's actions.", "the alarm has no action"))
		case a.off:
			results = append(results, doubtful(a.name, "Run aws cloudwatch enable-alarm-actions --alarm-names "+a.name+".",
				"the alarm's actions are disabled"))
		}
	}
	if len(results) == 0 && len(f.alarms.value) > 0 {
		results = append(results, fine("", "%s with actions", plural.Of(len(f.alarms.value), "alarm")))
	}
	return results
}

// throughNetwork checks the way out of each function in a VPC.
func throughNetwork(f facts) (results []result) {
	for _, fn := range f.all() {
		switch n := fn.network; {
		case fn.runs.why() != "":
			results = append(results, skipped(fn.name, fn.runs.why()))
		case len(fn.runs.value.subnets) == 0:
			results = append(results, fine(fn.name, "it is outside a VPC"))
		case n.why() != "":
			results = append(results, skipped(fn.name, n.why()))
		default:
			results = append(results, n.value.out(fn))
		}
	}
	return results
}

func (n network) out(fn function) result {
	for _, g := range n.groups {
		if !g.out {
			return wrong(fn.name, fmt.Sprintf("Add an egress rule for port 443 to the security group %s.", g.id),
				"its security group %s lets nothing out to port 443", g.id)
		}
	}
	for _, s := range n.subnets {
		if s.way == wayNAT {
			continue
		}
		do := fmt.Sprintf("Add a route from the subnet %s to a NAT gateway, or VPC endpoints of these services.", s.id)
		lacks := slices.DeleteFunc(fn.services(), func(service string) bool { return slices.Contains(n.endpoints, service) })
		switch {
		case len(lacks) == 0:
			continue
		case s.way == wayInternet:
			return wrong(fn.name, do, "its subnet %s leads to an internet gateway, but functions have no public address: it can't reach %s",
				s.id, strings.Join(lacks, ", "))
		}
		return wrong(fn.name, do, "its subnet %s has no way out: it can't reach %s", s.id, strings.Join(lacks, ", "))
	}
	return fine(fn.name, "it has a way out of its VPC")
}

// services are the endpoints of AWS that a function calls.
func (f *function) services() (list []string) {
	if f.task.Deploys {
		list = append(list, "s3")
	}
	for _, n := range f.needs {
		service, _, _ := strings.Cut(n.Actions[0], ":")
		if name := endpointOf[service]; name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

var endpointOf = map[string]string{"sqs": "sqs", "s3": "s3", "secretsmanager": "secretsmanager", "textract": "textract", "ses": "email"}
