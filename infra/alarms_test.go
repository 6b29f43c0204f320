package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The metric of each alarm, and its threshold.
func TestAlarmThresholds(t *testing.T) {
	t.Parallel()
	const (
		missingIsFine = "notBreaching"
		missingIsBad  = "breaching"
	)
	dead, queue := "AWS/SQS ApproximateNumberOfMessagesVisible Maximum QueueName=${MatchDeadLetterQueue.QueueName}",
		"AWS/SQS ApproximateNumberOfMessagesNotVisible Maximum QueueName=${MatchQueue.QueueName}"
	lambda := func(metric, function string) string {
		return "AWS/Lambda " + metric + " FunctionName=${" + function + "}"
	}
	ours := func(metric string) string { return "Matchbook " + metric + " Function=sweep Stage=dev" }
	schedule := func(metric string) string { return "Matchbook " + metric + " Function=schedule Stage=dev" }
	offer := func(metric string) string { return "Matchbook " + metric + " Function=offer Stage=dev" }
	work := func(metric string) string { return "Matchbook " + metric + " Sum Function=match Stage=dev" }
	want := map[string]struct {
		metric, operator, threshold, periods, missing string
	}{
		"MatchDeadLetterQueueNotEmpty": {dead, ">=", "1", "1", "ignore"},
		"MatchDeadLetterQueueFilling":  {"DIFF(FILL(dead, 0)) of " + dead, ">=", "3", "1", missingIsFine},
		"MatchQueueInFlight":           {queue, ">=", "100000", "1", missingIsFine},
		"MatchFailed":                  {work("Failed"), ">=", "1", "1", missingIsFine},
		"MatchFailedShare": {"IF(failed + dead >= 3, 100 * (failed + dead) / (succeeded + failed + dead), 0) of " +
			work("DeadLettered") + ", " + work("Failed") + ", " + work("Succeeded"),
			">=", "5", "1", missingIsFine},
		"MatchMalformed": {work("Malformed"), ">=", "1", "1", missingIsFine},
		"CredentialsRefused": {"FILL(work, 0) + FILL(work2, 0) + FILL(work3, 0) + FILL(work4, 0) + FILL(work5, 0) + FILL(schedule, 0) + FILL(sweep, 0) of " +
			"Matchbook Refused Sum Function=inbox Stage=dev, Matchbook Refused Sum Function=ingest Stage=dev, " +
			work("Refused") + ", Matchbook Refused Sum Function=offer Stage=dev, " +
			"Matchbook Refused Sum Function=review Stage=dev, " + schedule("Refused Sum") + ", " + ours("Refused Sum"),
			">=", "1", "1", missingIsFine},
		"MatchErrors":      {lambda("Errors Sum", "MatchFunction"), ">=", "1", "1", missingIsFine},
		"MatchLoopStopped": {lambda("RecursiveInvocationsDropped Sum", "MatchFunction"), ">=", "1", "1", missingIsFine},
		"MatchThrottles":   {lambda("Throttles Sum", "MatchFunction"), ">=", "1", "1", missingIsFine},
		"MatchDuration":    {lambda("Duration p99", "MatchFunction"), ">=", "144000", "1", missingIsFine},
		"SweepErrors":      {lambda("Errors Sum", "SweepFunction"), ">=", "3", "1", missingIsFine},
		"SweepThrottles":   {lambda("Throttles Sum", "SweepFunction"), ">=", "1", "1", missingIsFine},
		"SweepDuration":    {lambda("Duration p99", "SweepFunction"), ">=", "40000", "1", missingIsFine},
		"SweepSilent":      {ours("OldestDue SampleCount"), "<=", "0", "3", missingIsBad},
		"SweepRepairs": {"republished + lost + crashed of " + ours("Crashed Sum") + ", " + ours("Lost Sum") +
			", " + ours("Republished Sum"), ">=", "1", "1", missingIsFine},
		"OfferFailedShare": {"IF(failed + dead >= 1, 100 * (failed + dead) / (succeeded + failed + dead), 0) of " +
			offer("DeadLettered Sum") + ", " + offer("Failed Sum") + ", " + offer("Succeeded Sum"),
			">", "1", "1", missingIsFine},
		"OfferSlow": {offer("AttemptTime p95"), ">", "300000", "1", missingIsFine},
		"OfferQueueLong": {"AWS/SQS ApproximateNumberOfMessagesVisible Maximum QueueName=${OfferQueue.QueueName}",
			">", "1000", "1", missingIsFine},
		"DuplicateOffers": {schedule("DuplicateOffers Maximum"), ">=", "1", "1", missingIsFine},
		"OffersRefused": {"FILL(offer, 0) + FILL(sweep, 0) of " + offer("RefusedSets Sum") + ", " + ours("RefusedSets Sum"),
			">=", "1", "1", missingIsFine},
		"EventsRefused": {"FILL(match, 0) + FILL(sweep, 0) of " + work("RefusedEvents") + ", " + ours("RefusedEvents Sum"),
			">=", "1", "1", missingIsFine},
		"EventsWaiting":       {ours("OldestEvent Maximum"), ">=", "3600", "1", missingIsFine},
		"EventsDead":          {ours("DeadEvents Maximum"), ">=", "1", "1", missingIsFine},
		"OffersUndelivered":   {ours("OldestUndelivered Maximum"), ">=", "3600", "1", missingIsFine},
		"ScheduleSilent":      {schedule("DuplicateOffers SampleCount"), "<=", "0", "6", missingIsBad},
		"ScheduleErrors":      {lambda("Errors Sum", "ScheduleFunction"), ">=", "1", "1", missingIsFine},
		"ScheduleThrottles":   {lambda("Throttles Sum", "ScheduleFunction"), ">=", "1", "1", missingIsFine},
		"ScheduleDuration":    {lambda("Duration p99", "ScheduleFunction"), ">=", "240000", "1", missingIsFine},
		"OldestDueDocument":   {ours("OldestDue Maximum"), ">=", "10800", "1", missingIsFine},
		"NotificationsUntold": {ours("Untold Minimum"), ">=", "1", "6", missingIsFine},
	}
	operators := map[string]string{"GreaterThanOrEqualToThreshold": ">=", "GreaterThanThreshold": ">", "LessThanOrEqualToThreshold": "<="}
	tpl := synthesise(t, wishes{context: bare})
	// Of ingest, of review, of the inbox, which has no rows that fail, and the usual ones of offer.
	others := 9 + 10 + 7 + 9
	if ids := tpl.of("AWS::CloudWatch::Alarm"); len(ids) != len(want)+others {
		t.Errorf("%d alarms, want %d: %v", len(ids), len(want)+others, ids)
	}
	for id, w := range want {
		if got := watched(t, tpl, id); got != w.metric {
			t.Errorf("%s watches\n%s, want\n%s", id, got, w.metric)
		}
		if got := operators[tpl.at(t, id, "ComparisonOperator")] + " " + tpl.at(t, id, "Threshold") + ", " + tpl.at(t, id, "EvaluationPeriods") + " times, missing " + tpl.at(t, id, "TreatMissingData"); got != w.operator+" "+w.threshold+", "+w.periods+" times, missing "+w.missing {
			t.Errorf("%s goes off at %s", id, got)
		}
	}
}

// Where people are sent each failure, a single one raises no alarm.
func TestFewFailuresNoAlarm(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		context map[string]any
		want    string
	}{"no channel": {bare, "1"}, "channels": {everything, "10"}} {
		if got := synthesise(t, wishes{context: tc.context}).at(t, "MatchFailed", "Threshold"); got != tc.want {
			t.Errorf("%s: it goes off at %s, want %s", name, got, tc.want)
		}
	}
}

// Synth warns when failures would reach no person, and names a setting.
func TestSynthWarnsOfSilence(t *testing.T) {
	t.Parallel()
	silent := strings.Join(warnings(t, synthesise(t, wishes{context: bare})), "\n")
	if !strings.Contains(silent, "alarmEmail") {
		t.Errorf("warnings without a channel: %q", silent)
	}
	if got := warnings(t, synthesise(t, wishes{context: everything})); len(got) != 0 {
		t.Errorf("warnings with channels: %q", got)
	}
}

// warnings returns the ones that synth prints of the stack.
func warnings(t *testing.T, tpl *template) (list []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(tpl.file), "matchbook-*.metadata.json"))
	if len(files) != 1 {
		t.Fatalf("metadata: %v", files)
	}
	var metadata map[string][]struct {
		Type string
		Data any
	}
	decode(t, files[0], &metadata)
	for _, entries := range metadata {
		for _, e := range entries {
			if e.Type == "aws:cdk:warning" {
				list = append(list, fmt.Sprint(e.Data))
			}
		}
	}
	return list
}

// watched describes the metric of an alarm, over five minutes.
func watched(t *testing.T, tpl *template, id string) string {
	t.Helper()
	properties := tpl.Resources[id].Properties
	queries, composed := properties["Metrics"].([]any)
	if !composed {
		return metricText(t, id, properties)
	}
	var expression string
	var parts []string
	for _, q := range queries {
		q := q.(map[string]any)
		if e, ok := q["Expression"].(string); ok {
			expression = e
			continue
		}
		stat := q["MetricStat"].(map[string]any)
		flat := map[string]any{"Statistic": stat["Stat"], "Period": stat["Period"]}
		for k, v := range stat["Metric"].(map[string]any) {
			flat[k] = v
		}
		parts = append(parts, metricText(t, id, flat))
	}
	slices.Sort(parts)
	return expression + " of " + strings.Join(parts, ", ")
}

func metricText(t *testing.T, id string, m map[string]any) string {
	t.Helper()
	if plain(m["Period"]) != "300" {
		t.Errorf("%s: a period of %s s", id, plain(m["Period"]))
	}
	statistic := plain(m["Statistic"]) + plain(m["ExtendedStatistic"])
	text := plain(m["Namespace"]) + " " + plain(m["MetricName"]) + " " + statistic
	for _, d := range m["Dimensions"].([]any) {
		d := d.(map[string]any)
		text += " " + plain(d["Name"]) + "=" + plain(d["Value"])
	}
	return text
}

// Each alarm of a stack with all options has a row on the page for people called at night, and each
// row an alarm. The page names a function's alarms without its name. matchbook's TestAlarmRunbook
// runs the commands.
func TestAlarmsHaveRunbook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../lambda/OPERATE.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[*A-Z][^|]*) \\|").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("[*A-Za-z]+").FindAllString(row[1], -1) {
			used[name] = false
		}
	}
	functions := regexp.MustCompile(`^(Match|Ingest|Inbox|Review|Offer|Schedule|Sweep|Web|Console)`)
	for _, id := range synthesise(t, wishes{context: everything}).of("AWS::CloudWatch::Alarm") {
		name := functions.ReplaceAllString(id, "*")
		if _, ok := used[id]; ok {
			name = id
		}
		if _, ok := used[name]; !ok {
			t.Errorf("OPERATE.md has no row for %s", id)
		}
		used[name] = true
	}
	for name, ok := range used {
		if !ok {
			t.Errorf("OPERATE.md has a row for %s, which is no alarm", name)
		}
	}
}

func TestAlarmsNameRemedy(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: bare})
	for _, id := range tpl.of("AWS::CloudWatch::Alarm") {
		text := tpl.at(t, id, "AlarmDescription")
		if sentences := strings.Count(text+" ", ". "); sentences < 2 || len(text) < 80 || len(text) > 1024 {
			t.Errorf("%s: %d sentences, %d characters: %s", id, sentences, len(text), text)
		}
		tpl.check(t, at(id, `[{"Ref":"AlarmTopic"}]`, "AlarmActions"), at(id, `[{"Ref":"AlarmTopic"}]`, "OKActions"))
	}
}

// CloudWatch cannot publish to a topic that is encrypted with the key of AWS.
func TestTopicPolicy(t *testing.T) {
	t.Parallel()
	tpl := synthesise(t, wishes{context: everything})
	tpl.check(t, at("AlarmTopic", "${AlarmKey.Arn}", "KmsMasterKeyId"), at("AlarmKey", true, "EnableKeyRotation"))
	policies := tpl.of("AWS::SNS::TopicPolicy")
	if len(policies) != 1 {
		t.Fatalf("policies: %v", policies)
	}
	want := []string{
		`: Deny sns:Publish ${AlarmTopic} if {"Bool":{"aws:SecureTransport":"false"}}`,
		`: Allow sns:Publish ${AlarmTopic} if {"ArnLike":{"aws:SourceArn":{"Fn::Join":["",["arn:",{"Ref":"AWS::Partition"},":cloudwatch:",{"Ref":"AWS::Region"},":",{"Ref":"AWS::AccountId"},":alarm:matchbook-prod-*"]]}}}`,
	}
	compare(t, statements("", tpl.Resources[policies[0]].Properties["PolicyDocument"]), want)
	var key []string
	for _, line := range statements("", tpl.Resources["AlarmKey"].Properties["KeyPolicy"]) {
		if !strings.Contains(line, "kms:*") { // of the account itself
			key = append(key, line)
		}
	}
	compare(t, key, []string{": Allow kms:Decrypt *", ": Allow kms:GenerateDataKey* *"}) // * is this key
	subscriptions := tpl.of("AWS::SNS::Subscription")
	if len(subscriptions) != 1 {
		t.Fatalf("subscriptions: %v", subscriptions)
	}
	tpl.check(t, at(subscriptions[0], "email", "Protocol"), at(subscriptions[0], "alarms@example.com", "Endpoint"))
	if n := len(synthesise(t, wishes{context: bare}).of("AWS::SNS::Subscription")); n != 0 {
		t.Errorf("%d subscriptions without an address", n)
	}
}
