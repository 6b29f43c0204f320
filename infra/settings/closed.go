package settings

import (
	"errors"
	"regexp"
)

// Closed reports whether the functions reach AWS by VPC endpoints, and nothing further.
func (c Config) Closed() bool { return c.Database == "aurora" && c.NATGateways == 0 }

var bedrock = regexp.MustCompile(`^https://bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com(\.cn)?(/|$)`)

// AsksBedrock reports whether the model is Bedrock's, which has a VPC endpoint.
func (c Config) AsksBedrock() bool { return c.Mode == "model" && bedrock.MatchString(c.BaseURL) }

// unreachable returns the settings that need more than AWS in a closed network.
func (c Config) unreachable() (errs []error) {
	if !c.Closed() {
		return nil
	}
	for _, need := range []struct {
		set       bool
		what, try string
	}{
		{c.Mode == "model" && !c.AsksBedrock(), "the model",
			"set openaiBaseUrl to Bedrock's in the stack's Region, such as " +
				"https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1, or mode=rules"},
		{c.OCR == DocumentAI, "Document AI", "set ocr=textract"},
		{c.Slack || c.SlackSecret != "", "Slack", "set emailFrom and emailTo"},
		{c.HasConsole(), "the console's issuer of logins", "leave out console"},
		{c.OffersURL != "", "the receiver of match offers", "leave out offersWebhookUrl"},
		{c.EventsURL != "", "the receiver of events", "leave out eventsWebhookUrl"},
		{c.OTLPEndpoint != "" && !isLocal(c.OTLPEndpoint), "the collector of traces", "leave out otlpEndpoint"},
	} {
		if need.set {
			errs = append(errs, errors.New("natGateways: 0 leaves no way to "+need.what+"; "+need.try+", or use a NAT gateway"))
		}
	}
	return errs
}
