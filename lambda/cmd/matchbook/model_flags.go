package main

import (
	"strings"

	"matchbook/lambda/rehearsal"

	"github.com/spf13/cobra"
)

// modelHelp is what both commands tell of --model.
const modelHelp = `What rules leave open is decided by --model:
  none      nobody: it stays undecided
  openai    a real model, paid for: OPENAI_API_KEY and the other OPENAI_ variables
            are those of the function
  scripted  no model: a local server that speaks the same API chooses, with medium
            confidence, the candidate that has most values of the prompt (items,
            amounts, numbers, names) in common with the document, and none where
            two have as many
  oracle    no model: a local server that answers from links.csv, always right
  noisy     the oracle with a share of its answers wrong on purpose, --noise
Only openai says anything about a model; the report says so, too. The scripted
ones embed nothing, and in a database that is kept their answers stay.

--faults has one in ten of the scripted calls go wrong: refused, cut off, not
JSON, the connection reset ... It leaves out the two that hang until the
function gives up after a minute.`

// modelFlags adds the flags of --model.
func modelFlags(o *rehearsal.ModelOptions, cmd *cobra.Command, usual string) {
	flags := cmd.Flags()
	flags.StringVar(&o.Mode, "model", "", strings.Join(rehearsal.ModelModes, ", ")+": who decides what rules leave open (default "+usual+")")
	flags.Float64Var(&o.Noise, "noise", 0.1, "share of the answers that are wrong; --model noisy only")
	flags.Uint64Var(&o.Faults, "faults", 0, "have scripted calls go wrong by this seed; 0 has none")
	cmd.PreRun = func(*cobra.Command, []string) { o.Noisy = flags.Changed("noise") }
}

// tellHelp is what match tells of notifications.
const tellHelp = `Who is told of failures is configured as for the function: SLACK_WEBHOOK_URL, or
EMAIL_FROM and EMAIL_TO for SES, and ADMIN_BASE_URL for links. The function itself
tells Slack; mails are sent at the end of the run. Without a channel, what would
have been told is printed. --slack-log FILE tells a receiver on this machine that
takes what Slack takes, and appends what it took to FILE, a line of JSON each.`
