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
		results = append(results, r.value.lacks(subject, n)...)
	}
	if len(results) == 0 {
		results = append(results, fine(subject, "its role allows all of its calls"))
	}
	return results
}

// lacks returns a finding for each kind of refusal of a need's actions.
func (r role) lacks(subject string, n need) (results []result) {
	refused := map[policy.Verdict][]string{}
	for _, action := range n.Actions {
		v := r.allowed(n, action)
		refused[v] = append(refused[v], action)
	}
	say := wrong
	if n.Blind {
		say = doubtful
	}
	on := n.on[0]
	if strings.HasSuffix(on, someName) {
		on = strings.TrimSuffix(on, someName) + "*" // as a policy has it
	}
	if list := strings.Join(refused[policy.Missing], ", "); list != "" {
		do := fmt.Sprintf("Allow %s on %s in the %s of the role %s.", list, on, r.limit(n, refused[policy.Missing][0]), r.name)
		results = append(results, say(subject, do, "its role %s may not %s on %s, needed to %s", r.name, list, on, n.Purpose))
	}
	if list := strings.Join(refused[policy.Denied], ", "); list != "" {
		do := fmt.Sprintf("Take %s on %s out of the Deny statements of the role %s or of its permissions boundary.", list, on, r.name)
		results = append(results, say(subject, do, "its role %s is denied %s on %s, needed to %s", r.name, list, on, n.Purpose))
	}
	if list := strings.Join(append(refused[policy.Unclear], refused[policy.Doubtful]...), ", "); list != "" {
		why := fmt.Sprintf("an unknown condition decides whether the role %s may %s on %s", r.name, list, on)
		results = append(results, skipped(subject, why))
	}
	return results
}

// limit names what to extend, so that a role may do more.
func (r role) limit(n need, action string) string {
	request := policy.Request{Action: action, Resource: n.on[0], Context: n.context}
	if r.boundary != nil && policy.Decide(r.policies, request) == policy.Allowed {
		return "permissions boundary"
	}
	return "policy"
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
