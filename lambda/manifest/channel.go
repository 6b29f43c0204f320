package manifest

import (
	"slices"

	"matchbook/lambda/manifest/variable"
)

// Channel is a way to send failures to people. Set its variables to turn it on.
type Channel struct {
	Name      string   // the channel's name, as in notify.Sender
	Variables []string // you must set all of them, or none
	Secrets   []string // variables that may be given as the ARN of a secret
}

// Channels returns the channels, one row each.
func Channels() []Channel {
	return []Channel{
		{Name: "slack", Variables: []string{variable.SlackWebhookURL}, Secrets: []string{variable.SlackWebhookURL}},
		{Name: "email", Variables: []string{variable.EmailFrom, variable.EmailTo}},
	}
}

// Secrets are the variables you may also give as the ARN of a secret.
var Secrets = slices.Concat([]string{variable.DatabaseURL, variable.OpenAIKey, variable.DocumentAIKey, variable.ReviewTokenSecret,
	variable.OffersWebhookSecret, variable.EventsWebhookSecret, variable.OIDCClientSecret, variable.OTLPHeaders}, ChannelSecrets())

// ChannelSecrets returns the secret variables of all channels.
func ChannelSecrets() (names []string) {
	for _, c := range Channels() {
		names = append(names, c.Secrets...)
	}
	return names
}
