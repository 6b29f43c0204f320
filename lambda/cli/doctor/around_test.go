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

	"github.com/aws/smithy-go/encoding/cbor"
)

// around is what AWS has around the functions of a rig, in the words of its answers.
type around struct {
	versions     []string
	aliases      []m    // of match; nil: as ever
	own          string // the policy of each role
	attached     string // a managed policy; "" without one
	boundary     string // likewise
	schedule     m
	alarm        cbor.Map // nil: deleted
	key          m
	notification string
	encryption   string
	network      map[string]string
	attributes   map[string]string // of both queues, which the local SQS lacks
}

const (
	everything = `{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}`
	nothing_   = `{"Statement":[]}`
	functionOf = "arn:aws:lambda:us-east-1:000000000000:function:"
	keyARN     = "arn:aws:kms:us-east-1:000000000000:key/00000000-0000-4000-8000-000000000000"
)

func healthyAround() around {
	return around{versions: []string{"$LATEST", "1"}, own: everything,
		schedule: m{"Name": "sweep", "State": "ENABLED", "ScheduleExpression": "rate(1 minute)",
			"Target": m{"Arn": functionOf + "sweep:live", "RoleArn": "arn:aws:iam::000000000000:role/starts"}},
		alarm: cbor.Map{"AlarmName": cbor.String("match-errors"), "ActionsEnabled": cbor.Bool(true),
			"AlarmActions": cbor.List{cbor.String("arn:aws:sns:us-east-1:000000000000:alarms")}},
		key: m{"Arn": keyARN, "KeyId": "k", "KeyState": "Enabled", "KeyManager": "CUSTOMER"},
		notification: `<QueueConfiguration><Queue>arn:aws:sqs:us-east-1:000000000000:match</Queue><Event>s3:ObjectCreated:*</Event>` +
			`<Filter><S3Key><FilterRule><Name>prefix</Name><Value>inbox/</Value></FilterRule></S3Key></Filter></QueueConfiguration>`,
		network: map[string]string{
			"DescribeRouteTables": `<routeTableSet><item><associationSet><item><main>true</main></item></associationSet>
				<routeSet><item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock><natGatewayId>nat-1</natGatewayId><state>active</state></item></routeSet></item></routeTableSet>`,
			"DescribeSecurityGroups": `<securityGroupInfo><item><groupId>sg-1</groupId><ipPermissionsEgress><item><ipProtocol>tcp</ipProtocol>
				<fromPort>443</fromPort><toPort>443</toPort></item></ipPermissionsEgress></item></securityGroupInfo>`,
			"DescribeVpcEndpoints": `<vpcEndpointSet/>`,
		}}
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
	case strings.HasPrefix(action, "Describe"):
		return "ec2:" + action, "<" + action + "Response>" + a.network[action] + "</" + action + "Response>"
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
	case len(path) == 2 && path[0] == "schedules":
		return "GetSchedule", nilable(a.schedule)
	case strings.HasSuffix(req.URL.Path, "/operation/DescribeAlarms"):
		list := cbor.List{}
		if a.alarm != nil {
			list = append(list, a.alarm)
		}
		return "DescribeAlarms", cbor.Map{"MetricAlarms": list}
	case target == "TrentService.DescribeKey":
		return "DescribeKey", m{"KeyMetadata": a.key}
	case target == "secretsmanager.DescribeSecret":
		var in struct{ SecretId string }
		_ = json.Unmarshal(body, &in)
		return "DescribeSecret", m{"ARN": in.SecretId + "-AbCdEf"}
	case req.URL.Query().Has("notification"):
		return "GetBucketNotification", "<NotificationConfiguration>" + a.notification + "</NotificationConfiguration>"
	case req.URL.Query().Has("encryption"):
		return "GetBucketEncryption", "<ServerSideEncryptionConfiguration>" + a.encryption + "</ServerSideEncryptionConfiguration>"
	}
	return "", nil
}

func nilable(answer m) any {
	if answer == nil {
		return nil
	}
	return answer
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

// inVPC lets match run in a subnet.
func inVPC(r *rig) {
	r.config = maps.Clone(r.config)
	r.config["VpcConfig"] = m{"VpcId": "vpc-1", "SubnetIds": []string{"subnet-1"}, "SecurityGroupIds": []string{"sg-1"}}
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

func (r *rig) notifies(old, with string) {
	watches(r)
	r.around.notification = strings.Replace(r.around.notification, old, with, 1)
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
	{"no right at all", ofStack, func(r *rig) { r.around.own = nothing_ }, provoked{"permissions", Error, "its role works may not sqs:ReceiveMessage, sqs:DeleteMessage, sqs:GetQueueAttributes on arn:aws:sqs:us-east-1:000000000000:match, needed to take messages"}},
	{"no log", ofStack, func(r *rig) { r.around.own = without("logs:PutLogEvents") }, provoked{"permissions", Warning, "logs:PutLogEvents on arn:aws:logs:us-east-1:000000000000:log-group:/aws/lambda/match:log-stream:*, needed"}},
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

	{"files reported", ofStack, watches, provoked{"notification", OK, "it reports new files in inbox/"}},
	{"files may be reported", ofStack, watches, provoked{"notification", OK, "S3 may send to it"}},
	{"files reported to nobody", ofStack, func(r *rig) { watches(r); r.around.notification = "" }, provoked{"notification", Error, "it reports new files to no queue"}},
	{"files reported elsewhere", ofStack, func(r *rig) { r.notifies(":match<", ":other<") },
		provoked{"notification", Error, "to us-east-1:000000000000:other, not to us-east-1:000000000000:match"}},
	{"only puts reported", ofStack, func(r *rig) { r.notifies("Created:*", "Created:Put") }, provoked{"notification", Error, "it reports only s3:ObjectCreated:Put"}},
	{"another folder reported", ofStack, func(r *rig) { r.notifies("inbox/", "inbox/a/") }, provoked{"notification", Error, "only files below inbox/a/"}},
	{"all files reported", ofStack, func(r *rig) { r.notifies("inbox/", "") }, provoked{"notification", Error, "files outside of inbox/ as well"}},
	{"only PDFs reported", ofStack, func(r *rig) {
		r.notifies("</FilterRule>", "</FilterRule><FilterRule><Name>suffix</Name><Value>.pdf</Value></FilterRule>")
	}, provoked{"notification", Error, "only files that end in .pdf"}},
	{"S3 may not send", ofStack, func(r *rig) { watches(r); r.around.attributes["Policy"] = nothing_ }, provoked{"notification", Error, "S3 may not send to it"}},
	{"S3 may send for another bucket", ofStack, func(r *rig) {
		watches(r)
		r.around.attributes["Policy"] = strings.Replace(r.around.attributes["Policy"], ":::fi*", ":::others", 1)
	}, provoked{"notification", Error, "S3 may not send to it"}},
	{"notification may not be read", ofStack, func(r *rig) { watches(r); r.refuse["GetBucketNotification"] = "AccessDenied" },
		provoked{"notification", Skipped, "s3:GetBucketNotification: "}},
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

	{"no schedule", ofStack, func(r *rig) { r.around.schedule = nil }, provoked{"schedule", Error, "no schedule starts it: the schedule sweep was deleted"}},
	{"schedule off", ofStack, func(r *rig) { r.around.schedule["State"] = "DISABLED" }, provoked{"schedule", Error, "the schedule of sweep is disabled"}},
	{"schedule ended", ofStack, func(r *rig) { r.around.schedule["EndDate"] = 1 }, provoked{"schedule", Error, "the schedule of sweep has ended"}},
	{"schedule of another", ofStack, func(r *rig) { r.around.schedule["Target"].(m)["Arn"] = functionOf + "other:live" },
		provoked{"schedule", Error, "the schedule sweep starts " + functionOf + "other:live"}},
	{"schedule of $LATEST", ofStack, func(r *rig) { r.around.schedule["Target"].(m)["Arn"] = functionOf + "sweep" }, provoked{"schedule", Error, "starts $LATEST of sweep"}},
	{"hourly", ofStack, func(r *rig) { r.around.schedule["ScheduleExpression"] = "rate(1 hour)" }, provoked{"schedule", Warning, "is rate(1 hour), instead of rate(1 minute)"}},
	{"schedules may not be read", ofStack, func(r *rig) { r.refuse["GetSchedule"] = "AccessDeniedException" }, provoked{"schedule", Skipped, "scheduler:GetSchedule: AWS error (AccessDeniedException)"}},
	{"alarm deleted", ofStack, func(r *rig) { r.around.alarm = nil }, provoked{"alarms", Warning, "the alarm was deleted"}},
	{"alarm silent", ofStack, func(r *rig) { delete(r.around.alarm, "AlarmActions") }, provoked{"alarms", Warning, "the alarm has no action"}},
	{"alarms may not be read", ofStack, func(r *rig) { r.refuse["DescribeAlarms"] = "AccessDenied" }, provoked{"alarms", Skipped, "cloudwatch:DescribeAlarms: "}},
	{"alarm off", ofStack, func(r *rig) { r.around.alarm["ActionsEnabled"] = cbor.Bool(false) }, provoked{"alarms", Warning, "actions are disabled"}},

	{"in a VPC", ofStack, inVPC, provoked{"network", OK, "it has a way out of its VPC"}},
	{"no route", ofStack, func(r *rig) {
		inVPC(r)
		r.around.network["DescribeRouteTables"] = `<routeTableSet/>`
	}, provoked{"network", Error, "its subnet subnet-1 has no way out: it can't reach sqs, secretsmanager"}},
	{"a public subnet", ofStack, func(r *rig) {
		inVPC(r)
		r.around.network["DescribeRouteTables"] = strings.Replace(r.around.network["DescribeRouteTables"], "<natGatewayId>nat-1</natGatewayId>", "<gatewayId>igw-1</gatewayId>", 1)
	}, provoked{"network", Error, "functions have no public address"}},
	{"endpoints", ofStack, func(r *rig) {
		inVPC(r)
		r.around.network["DescribeRouteTables"] = `<routeTableSet/>`
		r.around.network["DescribeVpcEndpoints"] = `<vpcEndpointSet><item><serviceName>com.amazonaws.us-east-1.sqs</serviceName><state>available</state></item>` +
			`<item><serviceName>com.amazonaws.us-east-1.secretsmanager</serviceName><state>available</state></item></vpcEndpointSet>`
	}, provoked{"network", OK, "it has a way out of its VPC"}},
	{"closed group", ofStack, func(r *rig) {
		inVPC(r)
		r.around.network["DescribeSecurityGroups"] = strings.ReplaceAll(r.around.network["DescribeSecurityGroups"], "443", "5432")
	}, provoked{"network", Error, "its security group sg-1 lets nothing out to port 443"}},
	{"network may not be read", ofStack, func(r *rig) { inVPC(r); r.refuse["ec2:DescribeRouteTables"] = "UnauthorizedOperation" },
		provoked{"network", Skipped, "ec2:DescribeRouteTables: AWS error (HTTP 400, UnauthorizedOperation)"}},
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
			r.look.Ask = false
			row.harm(r)
			report := r.examine(true)
			row.check(t, report)
			keepsSecrets(t, report)
		})
	}
}
