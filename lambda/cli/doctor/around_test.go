package doctor

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"matchbook/lambda/postgres/postgrestest"
)

// around is what AWS has around the functions of a rig, in the words of its answers.
type around struct {
	versions   []string
	aliases    []m               // of match; nil: as ever
	attributes map[string]string // of both queues, which the local SQS lacks
}

const functionOf = "arn:aws:lambda:us-east-1:000000000000:function:"

func healthyAround() around {
	return around{versions: []string{"$LATEST", "1"}}
}

// deployedVersion is a configuration as the stack has it.
func deployedVersion(name string, more ...any) m {
	c := m{"FunctionArn": functionOf + name, "FunctionName": strings.Split(name, ":")[0], "Runtime": "provided.al2023", "Handler": "bootstrap",
		"Architectures": []string{"arm64"}, "State": "Active"}
	for i := 0; i < len(more); i += 2 {
		c[more[i].(string)] = more[i+1]
	}
	return c
}

// operation answers the calls around the functions; "" means another call.
func (a around) operation(path []string) (string, any) {
	switch {
	case len(path) == 4 && path[3] == "aliases" && a.aliases != nil && path[2] == "match":
		return "ListAliases", m{"Aliases": a.aliases}
	case len(path) == 4 && path[3] == "versions":
		var list []m
		for _, v := range a.versions {
			list = append(list, m{"Version": v})
		}
		return "ListVersionsByFunction", m{"Versions": list}
	}
	return "", nil
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
