package main

import (
	"encoding/json"
	"reflect"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/contract"
)

// What the command prints is read back as the contract of this release.
func TestManifestJSON(t *testing.T) {
	t.Parallel()
	code, out, errOut := matchbook(t, "", "manifest")
	if code != cli.ExitOK || errOut != "" {
		t.Fatalf("exit status %d: %s", code, errOut)
	}
	var got contract.Contract
	must.OK(t, json.Unmarshal([]byte(out), &got))
	if want := contract.Describe(release); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if zip := got.Functions[0].Zip; zip != "matchbook_"+release+"_lambda_arm64_match.zip" {
		t.Errorf("the zip is %s", zip)
	}
}
