package doctor

import (
	"fmt"
	"strings"

	"matchbook/lambda/cli/doctor/policy"
)

// permissions compares the roles of functions and schedules with the rights that they use.
func permissions(f facts) (results []result) {
	for _, fn := range f.all() {
		results = append(results, lacking(fn.name, fn.role, fn.needs)...)
	}
	for _, s := range f.schedules.value {
		if !s.gone {
			results = append(results, lacking(s.name, s.role, s.needs)...)
		}
	}
	return results
}

func lacking(subject string, r fact[role], needs []need) (results []result) {
	switch {
	case r.why() != "":
		return []result{skipped(subject, r.why())}
	case len(needs) == 0:
		return []result{skipped(subject, "unknown account of the function")}
	}
	for _, n := range needs {
		for _, action := range n.Actions {
			if found, bad := judge(subject, r.value, n, action); bad {
				results = append(results, found)
			}
		}
	}
	if len(results) == 0 {
		results = append(results, fine(subject, "its role allows all of its calls"))
	}
	return results
}

func judge(subject string, r role, n need, action string) (found result, bad bool) {
	on := strings.TrimSuffix(n.on[0], "any")
	do := fmt.Sprintf("Allow %s on %s in the policy of the role %s.", action, on, r.name)
	say := wrong
	if n.Blind {
		say = doubtful
	}
	switch v := r.allowed(n, action); v {
	case policy.Allowed:
		return found, false
	case policy.Unclear, policy.Doubtful:
		return skipped(subject, fmt.Sprintf("an unknown condition decides whether the role %s may %s on %s", r.name, action, on)), true
	case policy.Denied:
		do = fmt.Sprintf("Take %s on %s out of the Deny statements of the role %s or of its permissions boundary.", action, on, r.name)
		return say(subject, do, "its role %s is denied %s on %s, needed to %s", r.name, action, on, n.Purpose), true
	}
	if r.boundary != nil && policy.Decide(r.policies, policy.Request{Action: action, Resource: n.on[0], Context: n.context}) == policy.Allowed {
		do = fmt.Sprintf("Allow %s on %s in the permissions boundary of the role %s.", action, on, r.name)
	}
	return say(subject, do, "its role %s may not %s on %s, needed to %s", r.name, action, on, n.Purpose), true
}

// Customers' keys that can't be used.
func usableKeys(f facts) (results []result) {
	for _, e := range f.keys {
		switch k := e.key.value; {
		case e.key.why() != "":
			results = append(results, skipped(e.subject, e.key.why()))
		case k.arn == "":
			results = append(results, fine(e.subject, "AWS's own key"))
		case k.state != "Enabled":
			do := "Enable the key " + k.arn + "."
			if k.state == "PendingDeletion" {
				do = "Cancel the deletion of the key " + k.arn + ", and enable it."
			}
			results = append(results, wrong(e.subject, do, "its key %s is %s", k.arn, k.state))
		default:
			results = append(results, fine(e.subject, "its key is enabled"))
		}
	}
	return results
}
