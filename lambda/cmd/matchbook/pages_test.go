package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/pagetest"
)

// ranBy has each command that a page shows, with the test that runs it, or with
// the reason why no test does. Commands beside the tests are run by .ci/run.
var ranBy = map[string]string{
	"go run ./lambda/cmd/matchbook match testdata/documents --kill-every 2s":      "TestReadmeMatch",
	"go run ./lambda/cmd/matchbook match testdata/documents --verbose":            "TestReadmeEvidence",
	"go run ./lambda/cmd/mbdev eval testdata/eval":                                "TestPageEval",
	"go run ./lambda/cmd/matchbook ingest testdata/files --match":                 "TestReadmeIngest",
	"go run ./lambda/cmd/matchbook review testdata/contracts/software-licence.md": "TestReadmeReview",
	"go run ./lambda/cmd/matchbook offers run testdata/offers --date 2026-03-29":  "TestOffersRunSamples",
	"matchbook offers status --date 2026-03-29":                                   "TestOffersStatus",
	"matchbook offers explain 6e01dcc2-8b55-5f0b-8cec-137c45d02a80":               "TestOffersExplainNoSet",
	"matchbook offers requeue --date 2026-03-29":                                  "TestOffersRequeue",
	"matchbook events status":                                                     "TestEventsRequeue",
	"matchbook events requeue --dry-run":                                          "TestEventsRequeue",
	"matchbook events requeue":                                                    "TestEventsRequeue",
	"matchbook explain G-2026/00031 --keep":                                       "TestPageExplain",
	"matchbook explain 4500000130 WK-9051 --keep":                                 "TestPageExplain",
	"matchbook console --keep":                                                    "TestConsoleUntilInterrupt",
	"matchbook cost":                                                              "TestPageCost",
	"matchbook notify --test":                                                     "TestNotify",
	"matchbook match DIR --slack-log slack.jsonl":                                 "TestSlackLog",
	"matchbook publish --failed --dry-run":                                        "TestPublishFailed",
	"matchbook publish --failed --kind permanent --since 2h":                      "TestPublishFailed",
	"matchbook publish --failed --all":                                            "TestPublishAllFailed",
	"matchbook status --stack matchbook-dev":                                      "TestDLQOfStack",
	"matchbook status --failed":                                                   "TestStatus",
	"matchbook status --stuck":                                                    "TestStatus",
	"matchbook status 10000000-0000-4000-8000-000000000101":                       "TestStatusOfDocument",
	"matchbook dlq list --stack matchbook-dev":                                    "TestDLQOfStack",
	"matchbook dlq redrive --dry-run":                                             "TestDLQRedrive",
	"matchbook dlq redrive --kind transient --rate 2":                             "TestDLQRedrive",
	"matchbook dlq drop":                                                          "TestDLQDrop",
	"matchbook publish --ingestions --failed --dry-run":                           "TestPublishIngestions",
	"matchbook publish --ingestions --failed --kind transient":                    "TestPublishIngestions",
	"matchbook publish --chunks --failed --dry-run":                               "TestPublishChunks",
	"matchbook publish --chunks --failed --kind transient":                        "TestPublishChunks",
	"matchbook migrate up":                                                        "TestMigrate",
	"mbdev invoke -e testdata/events/one-document.json":                           "TestInvokeSampleEvents",
	"go run ./lambda/cmd/mbdev drill --short":                                     "TestDrillShort",
	"go run ./lambda/cmd/mbdev invoke -e testdata/events/one-document.json":       "TestInvokeSampleEvents",
	"go run ./lambda/cmd/matchbook doctor --stack matchbook-dev":                  "TestDoctorStack",
	"matchbook doctor --stack matchbook-dev":                                      "TestDoctorStack",
	"npx --yes aws-cdk@2.1148.1 synth --quiet":                                    "TestTemplateGolden",
	"sam local invoke MatchFunction -t cdk.out/matchbook-dev.template.json -e testdata/events/one-document.json --env-vars testdata/env.json": "TestSAMCommand",

	"go test ./...": "no test runs all tests; .ci/run does",
	"go test ./lambda/postgres/matches -run '^$' -bench BenchmarkTenant -benchtime 100x -thorough -timeout 1h":                                              "a benchmark",
	"go test ./lambda/postgres/matches -run '^$' -bench Workers -benchtime 1x -count 3":                                                                     "a benchmark",
	"go test ./lambda/acceptance -run TestMeasureACorpus -v -measure DIR -condition masked":                                                                 "a measurement",
	"(cd lambda/job/riverbench && go run .)":                                                                                                                "a benchmark",
	"go test ./lambda/postgres/matches -run '^$' -bench Alike -benchtime 1x":                                                                                "a benchmark",
	"go test ./infra/bootstrap -run '^$' -bench Start -benchtime 25x":                                                                                       "a benchmark",
	"npx --yes aws-cdk@2.1148.1 bootstrap":                                                                                                                  "needs an AWS account",
	"npx --yes aws-cdk@2.1148.1 deploy -c alarmEmail=you@example.com":                                                                                       "needs an AWS account",
	"npx --yes aws-cdk@2.1148.1 rollback":                                                                                                                   "needs an AWS account",
	"aws secretsmanager create-secret --name matchbook/dev/database-url --secret-string 'postgres://user:password@host:5432/matchbook?sslmode=verify-full'": ranByDeploy,
	"aws secretsmanager create-secret --name matchbook/dev/openai-api-key --secret-string '...'":                                                            ranByDeploy,
	"echo '{}' | aws lambda invoke --function-name matchbook-dev-migrate --payload fileb:///dev/stdin out.json":                                             ranByDeploy,
	"aws cognito-idp admin-create-user --user-pool-id POOL --username ada@example.com":                                                                      ranByDeploy,
	"aws cognito-idp create-group --user-pool-id POOL --group-name matchbook-viewer:6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11":                                   ranByDeploy,
	"aws cognito-idp admin-add-user-to-group --user-pool-id POOL --username ada@example.com --group-name matchbook-operator":                                ranByDeploy,
	"aws s3 cp invoice.pdf s3://BUCKET/inbox/6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11/":                                                                         ranByDeploy,
	"curl -o rds-ca.pem https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem":                                                                  "needs the network",
	"curl -H \"Authorization: Bearer $TENANT_TOKEN\" -H 'Content-Type: application/json' -H 'Idempotency-Key: lease-7' \\":                                  "needs a deployed stack; package web has its tests",
	"curl -N -H \"Authorization: Bearer $TOKEN\" https://URL/reviews/5b0c.../events":                                                                        "needs a deployed stack; package web has its tests",
	"curl -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' https://URL/reviews/5b0c.../findings/F2 \\":                               "needs a deployed stack; package web has its tests",
	"curl -H \"Authorization: Bearer $TOKEN\" 'https://URL/reviews/5b0c.../findings?severity=critical,high&state=open'":                                     "needs a deployed stack; package web has its tests",
	"DATABASE_URL=postgres://user@host/db go run ./lambda/cmd/matchbook serve --watch inbox":                                                                "TestServeWatch",
	"DATABASE_URL=postgres://user@host/db matchbook serve --watch /srv/inbox":                                                                               "TestServeWatch",
	"export DATABASE_URL=postgres://user@host/db":                                                                                                           "sets a variable",
	"matchbook serve &": "TestServe",
	"python3 insert.py": "lambda/acceptance has TestOtherLanguagesInsert",
	"psql \"$DATABASE_URL\" -c \"SELECT number_a, number_b, decided_by FROM matchbook_match\"":                                            "TestServe",
	"export PGSSLROOTCERT=$PWD/rds-ca.pem":                                                                                                "sets a variable",
	"export REVIEW_TOKEN_SECRET_SECRET_ARN=arn:aws:secretsmanager:...":                                                                    "sets a variable",
	"matchbook review token --tenant 6f1c2b1e-0a52-4d8e-9d2f-3f0f6f2f8a11 --life 720h":                                                    "TestReviewToken",
	"aws deploy list-deployments --application-name matchbook-dev --deployment-group-name matchbook-dev-match":                            ranByDeploy,
	"aws deploy stop-deployment --deployment-id d-XXXXXXXXX --auto-rollback-enabled":                                                      ranByDeploy,
	"aws lambda list-versions-by-function --function-name matchbook-dev-match --query 'Versions[].[Version, LastModified]' --output text": ranByDeploy,
	"aws lambda update-alias --function-name matchbook-dev-match --name live --function-version 11":                                       ranByDeploy,
	"aws lambda list-versions-by-function --function-name matchbook-dev-match --query 'Versions[1:-10].Version' --output text | xargs -r -n 1 aws lambda delete-function --function-name matchbook-dev-match --qualifier": ranByDeploy,
	"aws cloudformation describe-stacks --stack-name matchbook-dev --query 'Stacks[0].Outputs'":                                                                                                                           ranByDeploy,
	"aws secretsmanager put-secret-value --secret-id $REVIEW_TOKEN_SECRET_SECRET_ARN --secret-string \"$(openssl rand -hex 32),OLD\"":                                                                                     ranByDeploy,
	"aws lambda update-function-configuration --function-name matchbook-dev-web --description \"Shows reviews, with a new key\"":                                                                                          ranByDeploy,
	"aws lambda wait function-updated --function-name matchbook-dev-web":                                                                                                                                                  ranByDeploy,
	"aws lambda publish-version --function-name matchbook-dev-web --query Version":                                                                                                                                        ranByDeploy,
	"aws lambda update-alias --function-name matchbook-dev-web --name live --function-version VERSION":                                                                                                                    ranByDeploy,
}

// ranByDeploy marks commands of AWS that .ci/deploy takes from the pages and runs on an emulator.
const ranByDeploy = ".ci/deploy runs it"

// runbooks are for people at night: the files of their tests have each subcommand and flag.
var runbooks = []string{"lambda/OPERATE.md", "lambda/SERVE.md", "infra/README.md"}

func TestPageCommandsRun(t *testing.T) {
	t.Parallel()
	files := testFiles(t)
	left := maps.Clone(ranBy)
	for _, page := range pagetest.Read(t, clitest.Root) {
		for _, c := range page.Commands() {
			by, ok := ranBy[c.Line]
			switch {
			case !ok:
				t.Errorf("%s: no test runs %q: run it in one, and name that in ranBy", c.Page, c.Line)
			case strings.HasPrefix(by, "Test") && files[by] == "":
				t.Errorf("%s: %q is run by %s, which does not exist", c.Page, c.Line, by)
			case slices.Contains(runbooks, c.Page) && strings.HasPrefix(by, "Test"):
				for _, word := range ofProgram(c.Line) {
					if !strings.Contains(files[by], word) {
						t.Errorf("%s: %q is run by %s, but its file lacks %q", c.Page, c.Line, by, word)
					}
				}
			}
			delete(left, c.Line)
		}
	}
	for line := range left {
		t.Errorf("no page shows %q: take it out of ranBy", line)
	}
}

// ofProgram returns the subcommands and flags of one of our commands.
func ofProgram(line string) (words []string) {
	_, rest, ours := strings.Cut(line, "matchbook ")
	if !ours {
		return nil
	}
	for _, word := range strings.Fields(rest) {
		if regexp.MustCompile(`^(--)?[a-z-]+$`).MatchString(word) {
			words = append(words, strings.TrimPrefix(word, "--"))
		}
	}
	return words
}

// testFiles returns the text of the file of each test of the repository.
func testFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.OK(t, filepath.WalkDir(clitest.Root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			files[string(found[1])] = string(text)
		}
		return err
	}))
	return files
}

func TestPageCommandsAccepted(t *testing.T) {
	t.Parallel()
	clitest.WantAccepted(t, "matchbook", run, 20)
}

func TestPageExplain(t *testing.T) {
	t.Parallel()
	url := matchedSample(t)
	for _, command := range []string{"matchbook explain G-2026/00031", "matchbook explain 4500000130 WK-9051"} {
		_, want := clitest.Shown(t, command)
		clitest.WantShown(t, want, printed(t, url, strings.Fields(strings.TrimPrefix(command, "matchbook "))...))
	}
}

func TestPageCost(t *testing.T) {
	t.Parallel()
	c := newTill(t)
	c.asked(tenantA, "2026-03-02", miniModel, 10_000, 500, 3, "")
	c.asked(tenantA, "2026-03-02", miniModel, 20_000, 250, 0, "it is no JSON")
	c.asked(tenantA, "2026-03-03", localModel, 5_000, 100, 2, "")
	_, want := clitest.Shown(t, "matchbook cost")
	clitest.WantShown(t, want, printed(t, c.url, "cost"))
}

func TestPageListsCommands(t *testing.T) {
	t.Parallel()
	clitest.WantListed(t, "matchbook", run, 10)
}

// The groups of the help are the sections of the page, and each command is one line of
// a terminal.
func TestHelpGroups(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile("README.md"))(t)
	_, help, _ := matchbook(t, "", "--help")
	if strings.Contains(help, "Additional Commands") {
		t.Error("a command is in no group")
	}
	for _, title := range []string{"Try", "Integrate", "Decide", "Operate"} {
		_, list, found := strings.Cut(help, "\n"+title+":\n")
		_, section, described := strings.Cut(string(page), "\n## "+title+"\n")
		if !found || !described {
			t.Errorf("%s: in the help %t, on the page %t", title, found, described)
		}
		list, _, _ = strings.Cut(list, "\n\n")
		section, _, _ = strings.Cut(section, "\n## ")
		for line := range strings.Lines(list) {
			name := strings.Fields(line)[0]
			if len(line) > 81 || name != "help" && !regexp.MustCompile("`(matchbook )?"+name+"[` ]").MatchString(section) {
				t.Errorf("%s: %q is too long, or not in that section of the page", title, line)
			}
		}
	}
}
