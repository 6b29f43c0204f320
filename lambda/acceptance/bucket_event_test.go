package acceptance_test

import (
	"encoding/json"
	"net/url"
	"strings"
)

// setUpEvent is the message that S3 sends when its notification is set up.
const setUpEvent = `{"Service":"Amazon S3","Event":"s3:SetUpEvent","Time":"2026-03-02T08:00:00.000Z","Bucket":"files",` +
	`"RequestId":"5582815E1AEA5ADF","HostId":"8cLeGAmw098X5cv4Zkwcmo8vvZa3eH3eKxsPzbB9wrR+YstdA6Knx4Ip8EXAMPLE"}`

// s3Event is the message of S3, structure 2.1 of its manual, for a file that was
// created by Put or by Copy; empty version: the bucket has none. The key in it is
// escaped as in a query, but for its slashes.
func s3Event(kind, key, version string) string {
	object := map[string]any{"key": strings.ReplaceAll(url.QueryEscape(key), "%2F", "/"), "size": 1,
		"eTag": "d41d8cd98f00b204e9800998ecf8427e", "sequencer": "0055AED6DCD90281E5"}
	if version != "" {
		object["versionId"] = version
	}
	event, _ := json.Marshal(map[string]any{"Records": []any{map[string]any{
		"eventVersion": "2.1", "eventSource": "aws:s3", "awsRegion": "us-east-1",
		"eventTime": "2026-03-02T08:00:00.000Z", "eventName": "ObjectCreated:" + kind,
		"userIdentity":      map[string]any{"principalId": "AWS:AIDAJDPLRKLG7UEXAMPLE"},
		"requestParameters": map[string]any{"sourceIPAddress": "127.0.0.1"},
		"responseElements":  map[string]any{"x-amz-request-id": "C3D13FE58DE4C810"},
		"s3": map[string]any{"s3SchemaVersion": "1.0", "configurationId": "inbox", "object": object,
			"bucket": map[string]any{"name": bucketName, "arn": "arn:aws:s3:::" + bucketName,
				"ownerIdentity": map[string]any{"principalId": "A3NL1KOZZKExample"}}},
	}}})
	return string(event)
}
