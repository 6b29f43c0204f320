package doctor

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

// around is what AWS has around the functions of a rig, in the words of its answers.
type around struct {
	versions   []string
	aliases    []m    // of match; nil: as ever
	own        string // the policy of each role
	attached   string // a managed policy; "" without one
	boundary   string // likewise
	key        m
	encryption string
	attributes map[string]string // of both queues, which the local SQS lacks
}

const (
	everything = `{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`
	nothing_   = `{"Statement":[]}`
	functionOf = "arn:aws:lambda:us-east-1:000000000000:function:"
	keyARN     = "arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000000"
)

func healthyAround() around {
	return around{versions: []string{"$LATEST", "1"}, own: everything,
		key: m{"Arn": keyARN, "KeyId": "k", "KeyState": "Enabled", "KeyManager": "CUSTOMER"}}
}

// deployedVersion is a configuration as the stack has it.
func deployedVersion(name string, more ...any) m {
	c := m{"FunctionArn": functionOf + name, "FunctionName": strings.Split(name, ":")[0], "Runtime": "provided.al2023", "Handler": "bootstrap",
		"Architectures": []string{"arm64"}, "State": "Active", "Role": "arn:aws:iam::000000000000:role/works", "TracingConfig": m{"Mode": "Active"}}
	for i := 0; i < len(more); i += 2 {
		c[more[i].(string)] = more[i+1]
	}
	return c
}

// operation answers the calls around the functions; "" means another call.
func (a around) operation(req *http.Request, target string, form url.Values, path []string, body []byte) (string, any) {
	action := form.Get("Action")
	switch {
	case form.Get("Version") == "2010-05-08":
		return "iam:" + action, a.iam(action)
	case len(path) == 4 && path[3] == "aliases" && a.aliases != nil && path[2] == "match":
		return "ListAliases", m{"Aliases": a.aliases}
	case len(path) == 4 && path[3] == "versions":
		var list []m
		for _, v := range a.versions {
			list = append(list, m{"Version": v})
		}
		return "ListVersionsByFunction", m{"Versions": list}
	case target == "TrentService.DescribeKey":
		return "DescribeKey", m{"KeyMetadata": a.key}
	case target == "secretsmanager.DescribeSecret":
		var in struct{ SecretId string }
		_ = json.Unmarshal(body, &in)
		return "DescribeSecret", m{"ARN": in.SecretId + "-AbCdEf"}
	case req.URL.Query().Has("encryption"):
		return "GetBucketEncryption", "<ServerSideEncryptionConfiguration>" + a.encryption + "</ServerSideEncryptionConfiguration>"
	}
	return "", nil
}

func (a around) iam(action string) string {
	member := func(list string) string { return "<member>" + list + "</member>" }
	boundary, attached := "", ""
	if a.boundary != "" {
		boundary = "<PermissionsBoundary><PermissionsBoundaryArn>arn:aws:iam::000000000000:policy/boundary</PermissionsBoundaryArn></PermissionsBoundary>"
	}
	if a.attached != "" {
		attached = member("<PolicyArn>arn:aws:iam::000000000000:policy/attached</PolicyArn>")
	}
	result := map[string]string{
		"GetRole":                  "<Role><RoleName>works</RoleName>" + boundary + "</Role>",
		"ListRolePolicies":         "<PolicyNames>" + member("own") + "</PolicyNames>",
		"GetRolePolicy":            "<PolicyDocument>" + url.PathEscape(a.own) + "</PolicyDocument>",
		"ListAttachedRolePolicies": "<AttachedPolicies>" + attached + "</AttachedPolicies>",
		"GetPolicy":                "<Policy><DefaultVersionId>v1</DefaultVersionId></Policy>",
		"GetPolicyVersion":         "<PolicyVersion><Document>" + url.PathEscape(a.attached+a.boundary) + "</Document></PolicyVersion>",
	}[action]
	return fmt.Sprintf("<%[1]sResponse><%[1]sResult>%s</%[1]sResult></%[1]sResponse>", action, result)
}

func encrypts(r *rig, alias string) { r.around.attributes = map[string]string{"KmsMasterKeyId": alias} }

// watches lets match have the events of a bucket.
func watches(r *rig) {
	row := manifest.Match
	row.Watches, row.Files = manifest.FolderInbox, []manifest.Access{{Folder: manifest.FolderInbox, Read: true}}
	r.look.rows, r.env["BLOB_URL"] = rows{row}, "s3://files"
	r.around.attributes = map[string]string{"Policy": `{"Statement":{"Effect":"Allow","Principal":{"Service":"s3.amazonaws.com"},"Action":"sqs:SendMessage",` +
		`"Resource":"arn:aws:sqs:us-east-1:000000000000:match","Condition":{"ArnLike":{"aws:SourceArn":"arn:aws:s3:::fi*"},"StringEquals":{"aws:SourceAccount":"000000000000"}}}}`}
}

// queues adds attributes to the answers about queues.
func (a around) queues(w http.ResponseWriter, req *http.Request, target string, queues http.Handler) {
	if len(a.attributes) == 0 || target != "AmazonSQS.GetQueueAttributes" {
		queues.ServeHTTP(w, req)
		return
	}
	plain := httptest.NewRecorder()
	queues.ServeHTTP(plain, req)
	var answer struct{ Attributes map[string]string }
	_ = json.Unmarshal(plain.Body.Bytes(), &answer)
	maps.Copy(answer.Attributes, a.attributes)
	_ = json.NewEncoder(w).Encode(answer)
}

const allButOf = `{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"},{"Effect":"Deny","Action":"%s","Resource":"*"}]}`

func without(action string) string { return fmt.Sprintf(allButOf, action) }

// aroundRows break what is around the functions.
var aroundRows = []liveRow{
	{"x86 among arm", ofStack, func(r *rig) { r.config["Architectures"] = []string{"x86_64"}; r.third() },
		provoked{"architecture", Error, "it runs on x86_64, all others on arm64"}},
	{"python", ofStack, func(r *rig) { r.config["Runtime"] = "python3.13" }, provoked{"runtime", Error, "its runtime is python3.13"}},
	{"runtime of 2018", ofStack, func(r *rig) { r.config["Runtime"] = "provided.al2" }, provoked{"runtime", Error, "provided.al2"}},
	{"another handler", ofStack, func(r *rig) { r.config["Handler"] = "main.handler" }, provoked{"handler", Warning, "main.handler"}},
	{"little memory", ofStack, func(r *rig) { r.config["MemorySize"] = 511 }, provoked{"memory", Warning, "511 MB of memory, less than its 512"}},
	{"half the memory", ofStack, func(r *rig) { r.config["MemorySize"] = 256 }, provoked{"memory", Warning, "256 MB"}},
	{"less than half", ofStack, func(r *rig) { r.config["MemorySize"] = 255 }, provoked{"memory", Error, "less than half of its 512"}},
	{"more memory", ofStack, func(r *rig) { r.config["MemorySize"] = 10240 }, provoked{"memory", OK, "10240 MB"}},
	{"no time but to settle", ofStack, func(r *rig) { r.config["Timeout"] = 15 }, provoked{"timeout", Error, "its timeout is 15s, and the last 15s"}},
	{"little time", ofStack, func(r *rig) { r.config["Timeout"] = 179 }, provoked{"timeout", Warning, "2m59s, less than its 3m"}},
	{"image away", ofStack, func(r *rig) { r.config["State"], r.config["StateReasonCode"] = "Failed", "DisabledKMSKey" },
		provoked{"startable", Error, "Lambda can't start it: DisabledKMSKey"}},
	{"a secret in a variable", ofStack, func(r *rig) { r.env["OPENAI_API_KEY"] = modelKey }, provoked{"plain-secrets", Warning, "a secret is the value of OPENAI_API_KEY"}},
	{"a password in a variable", ofStack, func(r *rig) { r.env["DATABASE_URL"] = "postgres://u:hidden-password@127.0.0.1:1/d" },
		provoked{"plain-secrets", Warning, "DATABASE_URL"}},
	{"a database without password", ofStack, func(r *rig) { r.env["DATABASE_URL"] = "postgres://u@127.0.0.1:1/d" }, provoked{"plain-secrets", OK, "no variable"}},
	{"alias left behind", ofStack, func(r *rig) { r.around.versions = []string{"$LATEST", "9", "10"} }, provoked{"alias", Warning, "version 1, behind version 10"}},
	{"versions may not be read", ofStack, func(r *rig) { r.refuse["ListVersionsByFunction"] = "AccessDeniedException" },
		provoked{"alias", Skipped, "lambda:ListVersionsByFunction: AWS error (AccessDeniedException)"}},
	{"alias of $LATEST", ofStack, func(r *rig) { r.around.aliases = []m{{"Name": "live", "FunctionVersion": "$LATEST"}} },
		provoked{"alias", Error, "its alias live is $LATEST"}},
	{"no alias", ofStack, func(r *rig) { r.around.aliases = []m{}; r.mappings = nil }, provoked{"alias", Error, "missing alias live"}},
	{"split work", ofStack, func(r *rig) {
		r.around.aliases = []m{{"Name": "live", "FunctionVersion": "1", "RoutingConfig": m{"AdditionalVersionWeights": m{"2": 0.1}}}}
	}, provoked{"alias", Warning, "splits work between two versions"}},
	{"fed without alias", ofStack, func(r *rig) { r.mappings[0]["FunctionArn"] = functionOf + "match" }, provoked{"mapping-target", Error, "it feeds $LATEST of match"}},
	{"filtered", ofStack, func(r *rig) { r.mappings[0]["FilterCriteria"] = m{"Filters": []m{{"Pattern": "{}"}}} }, provoked{"filter", Error, "1 filter"}},
	{"long window", ofStack, func(r *rig) { r.mappings[0]["MaximumBatchingWindowInSeconds"] = 300 },
		provoked{"batch-window", Warning, "it collects messages for up to 5m, for match at most 0s"}},

	{"no right to a secret", ofStack, func(r *rig) { r.around.own = without("secretsmanager:*") },
		provoked{"permissions", Error, "its role works is denied secretsmanager:GetSecretValue on " + secretARN}},
	{"no right at all", ofStack, func(r *rig) { r.around.own = nothing_ }, provoked{"permissions", Error, "its role works may not sqs:ReceiveMessage on arn:aws:sqs:us-east-1:000000000000:match, needed to take messages"}},
	{"no log", ofStack, func(r *rig) { r.around.own = without("logs:PutLogEvents") }, provoked{"permissions", Warning, "logs:PutLogEvents on arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/match"}},
	{"an attached policy", ofStack, func(r *rig) { r.around.own, r.around.attached = nothing_, everything }, provoked{"permissions", OK, "allows all of its calls"}},
	{"a boundary", ofStack, func(r *rig) {
		r.around.boundary = `{"Statement":[{"Effect":"Allow","NotAction":"sqs:SendMessage","Resource":"*"}]}`
	}, provoked{"permissions", Error, "may not sqs:SendMessage on"}},
	{"a condition", ofStack, func(r *rig) {
		r.around.own = `{"Statement":{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}}}`
	}, provoked{"permissions", Skipped, "an unknown condition decides whether the role works may"}},
	{"a role that may not be read", ofStack, func(r *rig) { r.refuse["iam:GetRolePolicy"] = "AccessDenied" }, provoked{"permissions", Skipped, "iam:GetRolePolicy: AWS error (AccessDenied)"}},
	{"a key", ofStack, func(r *rig) { encrypts(r, "alias/orders") }, provoked{"keys", OK, "its key is enabled"}},
	{"a key without right", ofStack, func(r *rig) { encrypts(r, "alias/orders"); r.around.own = without("kms:Decrypt") },
		provoked{"permissions", Error, "denied kms:Decrypt on " + keyARN}},
	{"a key without right to send", ofStack, func(r *rig) { encrypts(r, "alias/orders"); r.around.own = without("kms:GenerateDataKey") },
		provoked{"permissions", Error, "denied kms:GenerateDataKey on " + keyARN}},
	{"a key of AWS", ofStack, func(r *rig) { encrypts(r, "alias/aws/sqs") }, provoked{"keys", Skipped, nothing}},
	{"a key that is deleted", ofStack, func(r *rig) { encrypts(r, "alias/orders"); r.around.key["KeyState"] = "PendingDeletion" },
		provoked{"keys", Error, "is PendingDeletion"}},
	{"a key that may not be read", ofStack, func(r *rig) { encrypts(r, keyARN); r.refuse["DescribeKey"] = "AccessDeniedException" },
		provoked{"keys", Skipped, "kms:DescribeKey: AWS error (AccessDeniedException)"}},

	{"a FIFO queue", ofStack, func(r *rig) { r.around.attributes = map[string]string{"FifoQueue": "true"} }, provoked{"fifo", Error, "it is a FIFO queue"}},
	{"redrive denied", ofStack, func(r *rig) {
		r.around.attributes = map[string]string{"RedriveAllowPolicy": `{"redrivePermission":"denyAll"}`}
	}, provoked{"redrive-allowed", Error, "denies all queues"}},
	{"redrive of others", ofStack, func(r *rig) {
		r.around.attributes = map[string]string{"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:us-east-1:000000000000:other"]}`}
	}, provoked{"redrive-allowed", Error, "doesn't list match"}},
	{"redrive of ours", ofStack, func(r *rig) {
		r.around.attributes = map[string]string{"RedriveAllowPolicy": `{"redrivePermission":"byQueue","sourceQueueArns":["arn:aws:sqs:us-east-1:000000000000:match"]}`}
	}, provoked{"redrive-allowed", OK, "it takes messages from match"}},
}

// third adds the web function, so that one of three differs.
func (r *rig) third() {
	r.resources = append(r.resources, m{"id": "matchbook-dev-web", "type": typeFunction})
	r.webEnv = map[string]string{"DATABASE_URL_SECRET_ARN": r.dir + "database-url"}
}

func TestFindsFaultsAround(t *testing.T) {
	t.Parallel()
	database := postgrestest.URL(t)
	for _, row := range aroundRows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, database)
			row.harm(r)
			report := r.examine(true)
			row.check(t, report)
			keepsSecrets(t, report)
		})
	}
}
