package settings

import (
	"maps"
	"strings"
	"testing"
)

// Without a NAT gateway, each setting that needs the internet is refused, with a way out.
func TestClosedNetwork(t *testing.T) {
	t.Parallel()
	const bedrock = "https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1"
	for _, tc := range []struct {
		context map[string]any
		want    string // a part of the error; none: accepted
	}{
		{map[string]any{"mode": "rules"}, ""},
		{map[string]any{"openaiBaseUrl": bedrock, "model": "openai.gpt-oss-120b-1:0", "ocr": "textract", "reviewUrl": "true",
			"emailFrom": "a@example.com", "emailTo": "b@example.com", "otlpEndpoint": "http://localhost:4318"}, ""},
		{nil, "no way to the model; set openaiBaseUrl to Bedrock's"},
		{map[string]any{"openaiBaseUrl": strings.Replace(bedrock, "amazonaws.com", "amazonaws.com.example.com", 1)}, "no way to the model"},
		{map[string]any{"mode": "rules", "ocr": "documentai", "documentaiProcessor": "projects/p/locations/eu/processors/1"}, "no way to Document AI; set ocr=textract"},
		{map[string]any{"mode": "rules", "slack": "true"}, "no way to Slack; set emailFrom"},
		{map[string]any{"mode": "rules", "console": "cognito"}, "no way to the console's issuer of logins"},
		{map[string]any{"mode": "rules", "offersWebhookUrl": "https://example.com/offers"}, "no way to the receiver of match offers"},
		{map[string]any{"mode": "rules", "eventsWebhookUrl": "https://example.com/events"}, "no way to the receiver of events"},
		{map[string]any{"mode": "rules", "otlpEndpoint": "https://otlp.example.com"}, "no way to the collector of traces"},
	} {
		context := map[string]any{"database": "aurora", "natGateways": "0"}
		maps.Copy(context, tc.context)
		_, err := Read(context)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %q", tc.context, err, tc.want)
		}
	}
	if _, err := Read(map[string]any{"database": "aurora", "natGateways": "0", "slack": "true"}); strings.Count(err.Error(), "leaves no way") != 2 {
		t.Errorf("not all are reported: %v", err)
	}
}
