package explain

import "strings"

// Remedy is the act of a person against an error. Every page with an error takes its remedy from here,
// so that they agree; OPERATE.md has the same table.
type Remedy struct {
	Words  string // of the error's sentence
	Cause  string
	Do     string
	Passes bool // without anybody, so that a row waiting for another try needs no one
}

// Remedies are the common errors. The first one with its words in an error counts.
var Remedies = []Remedy{
	{Words: "the database's disk is full", Cause: "nothing more can be stored", Do: "make room on the database's disk, or enlarge it"},
	{Words: "the disk is full", Cause: "the disk of the files: BLOB_URL, or the data folder of matchbook serve",
		Do: "make room on the disk of the files, or enlarge it"},
	{Words: "model provider denied access", Cause: "the key is wrong, or may not use the model",
		Do: "put a valid key into OPENAI_API_KEY or its secret, restart matchbook serve if you use it, " +
			"and test the key with matchbook doctor --ask"},
	{Words: "model provider's quota exhausted", Cause: "the provider wants to be paid",
		Do: "pay the provider, or raise the account's limit; the work then goes on within half an hour"},
	{Words: "unknown model or address at the model provider", Cause: "a setting is wrong",
		Do: "correct OPENAI_MODEL or OPENAI_BASE_URL, and test them with matchbook doctor --ask"},
	{Words: "connection to model provider failed", Cause: "the provider is away, or this network doesn't reach it", Passes: true,
		Do: "wait until it is back; if that takes long, see the provider's status page, the network, and OPENAI_BASE_URL"},
	{Words: "model provider failed", Cause: "the provider is away", Passes: true,
		Do: "wait until it is back; if that takes long, see the provider's status page"},
	{Words: "model provider took too long", Cause: "the provider is away or overloaded", Passes: true,
		Do: "wait until it is back; if that takes long, see the provider's status page"},
	{Words: "file storage is away", Cause: "S3, or the way to it", Passes: true,
		Do: "wait until it is back; if that takes long, see the status page of AWS, and BLOB_URL"},
	{Words: "not found in storage", Cause: "the file was deleted or moved",
		Do: "put the file back under the name in the error, below BLOB_URL or the folder files in the data folder of " +
			"matchbook serve"},
	{Words: "ended without a result", Cause: "workers ended while they had the row: killed, out of memory, or crashed",
		Do: "find what ended them in the logs of the times that matchbook status ID lists: in CloudWatch by log stream and " +
			"request id, with matchbook serve by journalctl -u matchbook; give them memory, or repair the cause"},
	{Words: "lost: ", Cause: "its messages never came",
		Do: "find the reason with matchbook doctor, with --stack NAME for a stack: its queue and mapping"},
	{Words: "structured data: ", Cause: "the program that inserted the document broke its format",
		Do: "let that program correct the row's structured_data"},
	{Words: "panic (", Cause: "a fault of Matchbook", Do: "send the developers the log of its last attempt"},
	{Words: "receiver", Cause: "a webhook is down, or its URL is wrong",
		Do: "repair the receiver, or correct EVENTS_WEBHOOK_URL or OFFERS_WEBHOOK_URL"},
}

// RemedyOf returns the remedy of an error; the zero Remedy for an uncommon one.
func RemedyOf(err string) Remedy {
	for _, r := range Remedies {
		if strings.Contains(err, r.Words) {
			return r
		}
	}
	return Remedy{}
}

// DoAbout returns what to do about the error of a failed row, a line each; the command again, which
// tries it once more, is the last one.
func DoAbout(err, again string) []string {
	if r := RemedyOf(err); r.Do != "" {
		return []string{r.Do + "; then:", again}
	}
	return []string{again + ", once the cause is fixed"}
}
