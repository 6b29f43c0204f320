package policy

import (
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

const (
	queue  = "arn:aws:sqs:eu-central-1:000000000000:orders"
	bucket = "arn:aws:s3:::files"
)

func TestPolicyVerdicts(t *testing.T) {
	t.Parallel()
	send := Request{Action: "sqs:SendMessage", Resource: queue, Principal: "s3.amazonaws.com",
		Context: map[string]string{"aws:securetransport": "true", "aws:sourcearn": bucket, "ses:fromaddress": "a@example.com"}}
	const allow = `{"Effect":"Allow","Action":"sqs:SendMessage","Resource":"` + queue + `"`
	for name, tc := range map[string]struct {
		statements string
		want       Verdict
	}{
		"nothing":                    {``, Missing},
		"exactly":                    {allow + `}`, Allowed},
		"one statement, no list":     {"!" + allow + `}`, Allowed},
		"among several":              {`{"Effect":"Allow","Action":["sqs:DeleteMessage","sqs:SendMessage"],"Resource":["x","` + queue + `"]}`, Allowed},
		"other action":               {`{"Effect":"Allow","Action":"sqs:Send","Resource":"*"}`, Missing},
		"actions ignore case":        {`{"Effect":"Allow","Action":"SQS:sendmessage","Resource":"*"}`, Allowed},
		"resources don't":            {`{"Effect":"Allow","Action":"*","Resource":"` + strings.ToUpper(queue) + `"}`, Missing},
		"action by wildcard":         {`{"Effect":"Allow","Action":"sqs:Send*","Resource":"*"}`, Allowed},
		"resource by wildcard":       {`{"Effect":"Allow","Action":"sqs:*","Resource":"arn:aws:sqs:*:orders"}`, Allowed},
		"resource by characters":     {`{"Effect":"Allow","Action":"sqs:*","Resource":"arn:aws:sqs:eu-central-1:000000000000:order?"}`, Allowed},
		"a character too few":        {`{"Effect":"Allow","Action":"sqs:*","Resource":"` + queue + `?"}`, Missing},
		"brackets are no set":        {`{"Effect":"Allow","Action":"sqs:*","Resource":"arn:aws:sqs:eu-central-1:000000000000:order[s]"}`, Missing},
		"all but others":             {`{"Effect":"Allow","NotAction":"sqs:DeleteQueue","Resource":"*"}`, Allowed},
		"all but this":               {`{"Effect":"Allow","NotAction":"sqs:Send*","Resource":"*"}`, Missing},
		"all resources but this":     {`{"Effect":"Allow","Action":"*","NotResource":"` + queue + `"}`, Missing},
		"denied, too":                {allow + `},{"Effect":"Deny","Action":"sqs:*","Resource":"*"}`, Denied},
		"another denied":             {allow + `},{"Effect":"Deny","Action":"sqs:*","Resource":"x"}`, Allowed},
		"denied without TLS":         {allow + `},{"Effect":"Deny","Principal":"*","Action":"*","Resource":"*","Condition":{"Bool":{"aws:SecureTransport":"false"}}}`, Allowed},
		"denied unless":              {allow + `},{"Effect":"Deny","Action":"*","Resource":"*","Condition":{"StringNotLike":{"aws:SourceArn":"arn:aws:s3:::fi*"}}}`, Allowed},
		"a condition that holds":     {allow + `,"Condition":{"StringEquals":{"ses:FromAddress":["b@example.com","a@example.com"]}}}`, Allowed},
		"a condition that doesn't":   {allow + `,"Condition":{"StringEquals":{"ses:FromAddress":"b@example.com"}}}`, Missing},
		"one of two doesn't":         {allow + `,"Condition":{"ArnLike":{"aws:SourceArn":"arn:aws:s3:::f*"},"IpAddress":{"x":"y"},"StringLike":{"ses:FromAddress":"b@*"}}}`, Missing},
		"unknown operator":           {allow + `,"Condition":{"IpAddress":{"aws:SourceIp":"10.0.0.0/8"}}}`, Unclear},
		"unknown key":                {allow + `,"Condition":{"StringEquals":{"aws:PrincipalTag/team":"x"}}}`, Unclear},
		"allowed, perhaps denied":    {allow + `},{"Effect":"Deny","Action":"*","Resource":"*","Condition":{"Null":{"x":"true"}}}`, Doubtful},
		"the service":                {allow + `,"Principal":{"Service":["sns.amazonaws.com","s3.amazonaws.com"]}}`, Allowed},
		"another service":            {allow + `,"Principal":{"Service":"sns.amazonaws.com"}}`, Missing},
		"anybody":                    {allow + `,"Principal":"*"}`, Allowed},
		"anybody else":               {allow + `,"NotPrincipal":{"Service":"s3.amazonaws.com"}}`, Missing},
		"a resource of every policy": {`{"Effect":"Allow","Action":"sqs:SendMessage","Principal":"*"}`, Allowed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := `{"Version":"2012-10-17","Statement":[` + tc.statements + `]}`
			if one, ok := strings.CutPrefix(tc.statements, "!"); ok {
				text = `{"Statement":` + one + `}`
			}
			if got := Decide([]Document{must.Get(Parse(text))(t)}, send); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}

func TestPoliciesTogether(t *testing.T) {
	t.Parallel()
	one := must.Get(Parse(`{"Statement":[{"Effect":"Allow","Action":"a:b","Resource":"*"}]}`))(t)
	two := must.Get(Parse(`{"Statement":[{"Effect":"Deny","Action":"a:c","Resource":"*"}]}`))(t)
	for action, want := range map[string]Verdict{"a:b": Allowed, "a:c": Denied, "a:d": Missing} {
		if got := Decide([]Document{one, two}, Request{Action: action, Resource: "r"}); got != want {
			t.Errorf("%s: got %d, want %d", action, got, want)
		}
	}
}

func TestBadPolicyRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `hidden`, `{"Statement":[{"Action":7}]}`, `{"Statement":[{"Principal":7}]}`} {
		if _, err := Parse(text); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
