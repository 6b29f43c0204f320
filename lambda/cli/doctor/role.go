package doctor

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/cli/doctor/policy"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/permission"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/iam"
)

// role has the policies of a role.
type role struct {
	name     string
	policies []policy.Document
	boundary []policy.Document // nil without one
}

// need is a right that calls of a function, or of a schedule, use.
type need struct {
	permission.Right
	on      []string // ARNs; one of them suffices
	context map[string]string
}

// allowed returns the verdict on an action of a need: the role's, limited by its boundary.
func (r role) allowed(n need, action string) (best policy.Verdict) {
	for _, on := range n.on {
		request := policy.Request{Action: action, Resource: on, Context: n.context}
		v := policy.Decide(r.policies, request)
		if r.boundary != nil && v == policy.Allowed {
			v = policy.Decide(r.boundary, request)
		}
		if best != policy.Allowed && (v == policy.Allowed || v > best) {
			best = v
		}
	}
	return best
}

// role reads a role's policies: its own, the attached ones, and its permissions boundary.
func (a *cloud) role(ctx context.Context, arn string) fact[role] {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := iam.NewFromConfig(a.config)
	name := arn[strings.LastIndex(arn, "/")+1:]
	found, err := client.GetRole(ctx, &iam.GetRoleInput{RoleName: &name})
	if err != nil {
		return unknown[role]("iam:GetRole: " + sentence(err))
	}
	r := role{name: name}
	if found.Role.PermissionsBoundary != nil {
		text, why := managed(ctx, client, aws.ToString(found.Role.PermissionsBoundary.PermissionsBoundaryArn))
		if r.boundary, why = appendPolicy(nil, text, why); why != "" {
			return unknown[role](why)
		}
	}
	own := iam.NewListRolePoliciesPaginator(client, &iam.ListRolePoliciesInput{RoleName: &name})
	for own.HasMorePages() {
		page, err := own.NextPage(ctx)
		if err != nil {
			return unknown[role]("iam:ListRolePolicies: " + sentence(err))
		}
		for _, one := range page.PolicyNames {
			text, why := inline(ctx, client, name, one)
			if r.policies, why = appendPolicy(r.policies, text, why); why != "" {
				return unknown[role](why)
			}
		}
	}
	attached := iam.NewListAttachedRolePoliciesPaginator(client, &iam.ListAttachedRolePoliciesInput{RoleName: &name})
	for attached.HasMorePages() {
		page, err := attached.NextPage(ctx)
		if err != nil {
			return unknown[role]("iam:ListAttachedRolePolicies: " + sentence(err))
		}
		for _, one := range page.AttachedPolicies {
			text, why := managed(ctx, client, aws.ToString(one.PolicyArn))
			if r.policies, why = appendPolicy(r.policies, text, why); why != "" {
				return unknown[role](why)
			}
		}
	}
	return known(r)
}

func inline(ctx context.Context, client *iam.Client, role, name string) (document, why string) {
	found, err := client.GetRolePolicy(ctx, &iam.GetRolePolicyInput{RoleName: &role, PolicyName: &name})
	if err != nil {
		return "", "iam:GetRolePolicy: " + sentence(err)
	}
	return aws.ToString(found.PolicyDocument), ""
}

func managed(ctx context.Context, client *iam.Client, arn string) (document, why string) {
	found, err := client.GetPolicy(ctx, &iam.GetPolicyInput{PolicyArn: &arn})
	if err != nil {
		return "", "iam:GetPolicy: " + sentence(err)
	}
	version, err := client.GetPolicyVersion(ctx, &iam.GetPolicyVersionInput{PolicyArn: &arn, VersionId: found.Policy.DefaultVersionId})
	if err != nil {
		return "", "iam:GetPolicyVersion: " + sentence(err)
	}
	return aws.ToString(version.PolicyVersion.Document), ""
}

// appendPolicy parses a document, which IAM encodes as in a URL.
func appendPolicy(list []policy.Document, text, why string) ([]policy.Document, string) {
	if why != "" {
		return list, why
	}
	plain, err := url.PathUnescape(text)
	if err != nil {
		return list, "invalid policy document"
	}
	d, err := policy.Parse(plain)
	if err != nil {
		return list, err.Error()
	}
	return append(list, d), ""
}

// roleOf reads each role once.
func (l *look) roleOf(ctx context.Context, arn string) fact[role] {
	if arn == "" {
		return unknown[role]("unknown role")
	}
	if _, ok := l.roles[arn]; !ok {
		l.Progress("reading the roles")
		if l.roles == nil {
			l.roles = map[string]fact[role]{}
		}
		l.roles[arn] = l.cloud.role(ctx, arn)
	}
	return l.roles[arn]
}

// place makes ARNs of a function's account.
type place struct{ partition, region, account string }

func placeOf(arn string) (p place, ok bool) {
	parts := strings.Split(arn, ":")
	if len(parts) < 7 {
		return p, false
	}
	return place{parts[1], parts[3], parts[4]}, true
}

func (p place) arn(service, resource string) string {
	return strings.Join([]string{"arn", p.partition, service, p.region, p.account, resource}, ":")
}

func (p place) queue(id string) string { return "arn:" + p.partition + ":sqs:" + id }

// someName stands for a name that is unknown, such as a file's.
const someName = "any"

// needs lists the rights that a function uses, from the same table as its role. Queues and
// secrets without a variable are left to other checks.
func (l *look) needs(ctx context.Context, f *facts, fn function, env variables, own string) (list []need) {
	p, ok := placeOf(fn.runs.value.arn)
	if !ok {
		return nil
	}
	add := func(r permission.Right, on ...string) { list = append(list, need{Right: r, on: on}) }
	add(permission.WriteLog, p.arn("logs", "log-group:"+fn.runs.value.logs+":log-stream:"+someName))
	if fn.runs.value.traced {
		add(permission.SendTraces, "*")
	}
	if len(fn.runs.value.subnets) > 0 {
		add(permission.JoinNetwork, "*")
	}
	bucket := strings.Split(strings.TrimPrefix(env[variable.BlobURL], "s3://"), "/")[0]
	for _, r := range fn.rights(l.rows) {
		switch queue := l.queueNamed(r.On.Name, fn, env, own); {
		case r.On.Kind == permission.Queue && queue != "":
			add(r, p.queue(queue))
		case r.On.Kind == permission.Bucket && bucket != "":
			add(r, "arn:"+p.partition+":s3:::"+bucket)
		case r.On.Kind == permission.Folder && bucket != "":
			add(r, "arn:"+p.partition+":s3:::"+bucket+"/"+r.On.Name+someName)
		}
	}
	if application := env[variable.Rollout]; application != "" && fn.task.Deploys {
		for _, r := range permission.OfRollout(rolledOut) {
			switch r.On.Kind {
			case permission.Versions:
				add(r, p.arn("lambda", "function:"+strings.TrimSuffix(fn.name, fn.task.Name)+r.On.Name+":"+someName))
			case permission.Rollouts:
				add(r, p.arn("codedeploy", "deploymentgroup:"+application+"/"+someName))
			default:
				add(r, "*")
			}
		}
	}
	if env[variable.OCR] == textractEngine {
		add(permission.ReadPages, "*")
	}
	if from := env[variable.EmailFrom]; from != "" {
		list = append(list, mail(p, from))
	}
	return append(list, l.secretNeeds(ctx, f, env)...)
}

const textractEngine = "textract"

// rolledOut are the functions of every stack that take traffic by an alias.
var rolledOut = func() (names []string) {
	for _, f := range manifest.Functions() {
		names = append(names, f.Name)
	}
	for _, t := range manifest.Tasks() {
		if !t.Deploys {
			names = append(names, t.Name)
		}
	}
	return names
}()

// rights are a function's by the table.
func (f *function) rights(all rows) []permission.Right {
	if f.task.Name != "" {
		return permission.OfTask(f.task, all)
	}
	return slices.Concat(permission.OfFunction(f.row), permission.OfContracts(f.row))
}

// queueNamed returns the id of a queue, as the function finds it; "" if unset.
func (l *look) queueNamed(name string, fn function, env variables, own string) string {
	if name == fn.row.Name && fn.task.Name == "" {
		return own
	}
	url := env[manifest.Function{Name: name}.QueueEnv()]
	if url == "" {
		return ""
	}
	return queueID(url, l.cloud.config.Region)
}

// mail may be granted on the sender's address or on any of its domains.
func mail(p place, from string) need {
	address := strings.ToLower(strings.Trim(from[strings.LastIndex(from, "<")+1:], "<> "))
	n := need{Right: permission.SendMail, on: []string{p.arn("ses", "identity/"+address)},
		context: map[string]string{"ses:fromaddress": address}}
	_, domain, _ := strings.Cut(address, "@")
	for strings.Contains(domain, ".") {
		n.on = append(n.on, p.arn("ses", "identity/"+domain))
		_, domain, _ = strings.Cut(domain, ".")
	}
	return n
}

var fullSecretARN = regexp.MustCompile(`-[A-Za-z0-9]{6}$`)

// secretNeeds are the rights to read secrets, and to use the keys that encrypt them. IAM
// compares the full ARN, which has six characters more than the one in a variable may have.
func (l *look) secretNeeds(ctx context.Context, f *facts, env variables) (list []need) {
	for _, name := range append(slices.Clone(manifest.Secrets), variable.AppDatabaseURL, variable.FunctionsDatabaseURL) {
		arn := env[name+variable.SecretSuffix]
		if arn == "" || env.has(name) {
			continue
		}
		full, key := l.secretKey(ctx, f, name, arn)
		if full == "" {
			full = arn
			if !fullSecretARN.MatchString(arn) {
				full += "-000000"
			}
		}
		list = append(list, need{Right: permission.ReadSecrets, on: []string{full}})
		if key != "" {
			list = append(list, need{Right: permission.Decrypt, on: []string{key}})
		}
	}
	return list
}
