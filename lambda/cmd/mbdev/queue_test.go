package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/manifest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// startQueue runs the command until stop, which returns its exit code.
func startQueue(t *testing.T, args ...string) (printed []string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"queue"}, args...), func(string) string { return "" }, in, io.Discard)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		printed = append(printed, strings.TrimSpace(lines.Text()))
		if strings.Contains(lines.Text(), "AWS_SECRET_ACCESS_KEY") {
			return printed, func() int { cancel(); return <-ended }
		}
	}
	cancel()
	t.Fatalf("it ended with exit status %d after %q", <-ended, printed)
	return nil, nil
}

// exported returns the variables that were printed for a client.
func exported(printed []string) map[string]string {
	env := make(map[string]string)
	for _, line := range printed {
		if text, ok := strings.CutPrefix(line, "export "); ok {
			name, value, _ := strings.Cut(text, "=")
			env[name] = value
		}
	}
	return env
}

func TestQueueDeadLetters(t *testing.T) {
	t.Parallel()
	printed, stop := startQueue(t, "--addr", "127.0.0.1:0", "--queue", "one", "--queue", "two")
	env := exported(printed)
	endpoint := env["AWS_ENDPOINT_URL_SQS"]
	for _, name := range []string{"one", "one-dlq", "two", "two-dlq"} {
		if want := endpoint + "/000000000000/" + name; !slices.Contains(printed, want) {
			t.Errorf("%s is not among %q", want, printed)
		}
	}
	client := sqs.New(sqs.Options{Region: env["AWS_REGION"], BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider(
		env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], "")})
	queue, dlq := endpoint+"/000000000000/one", endpoint+"/000000000000/one-dlq"
	must.Get(client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String("hello")}))(t)
	for range manifest.Match.MaxReceiveCount() {
		out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &queue, VisibilityTimeout: 1, WaitTimeSeconds: 20})
		if err != nil || len(out.Messages) != 1 || *out.Messages[0].Body != "hello" {
			t.Fatalf("received %+v, %v", out, err)
		}
		must.Get(client.ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{QueueUrl: &queue, ReceiptHandle: out.Messages[0].ReceiptHandle}))(t)
	}
	if got := clitest.Receive(t, client, queue); got != nil {
		t.Errorf("received %q a fourth time", got)
	}
	if got := clitest.Receive(t, client, dlq); len(got) != 1 || got[0] != "hello" {
		t.Errorf("received %q from the dead-letter queue", got)
	}
	if code := stop(); code != cli.ExitOK {
		t.Errorf("exit status %d after an interrupt, want %d", code, cli.ExitOK)
	}
}

func TestQueueDefaults(t *testing.T) {
	t.Parallel()
	printed, stop := startQueue(t, "--addr", "127.0.0.1:0")
	defer stop()
	for _, f := range manifest.Functions() {
		url := exported(printed)["AWS_ENDPOINT_URL_SQS"] + "/000000000000/" + f.Name
		if !slices.Contains(printed, url) || !slices.Contains(printed, url+"-dlq") {
			t.Errorf("%s and its dead-letter queue are not among %q", url, printed)
		}
	}
	if want := "match, visibility timeout 18m0s, dead-letter queue after 3 deliveries:"; !slices.Contains(printed, want) {
		t.Errorf("%q is not among %q", want, printed)
	}
}

func TestQueueStops(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	url, stop, err := local.Serve("127.0.0.1:0", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done() // as a long poll does
	}))
	must.OK(t, err)
	answered := make(chan error, 1)
	go func() {
		response, err := http.Get(url)
		if err == nil {
			err = response.Body.Close()
		}
		answered <- err
	}()
	<-arrived
	must.OK(t, stop(), "stop")
	if err := <-answered; err != nil {
		t.Errorf("the request got no answer: %v", err)
	}
}

func TestQueueListensLocally(t *testing.T) {
	t.Parallel()
	own := ownAddress(t)
	for addr, everywhere := range map[string]bool{"127.0.0.1:0": false, ":0": false, "0.0.0.0:0": true} {
		printed, stop := startQueue(t, "--addr", addr)
		port, ok := strings.CutPrefix(exported(printed)["AWS_ENDPOINT_URL_SQS"], "http://127.0.0.1:")
		if !ok || port == "0" {
			t.Errorf("%s: printed %q, want a port of this machine", addr, printed)
		}
		conn, err := net.Dial("tcp", net.JoinHostPort(own, port))
		if err == nil {
			conn.Close()
		}
		if (err == nil) != everywhere {
			t.Errorf("%s: reached from the network: %v, want %v (%v)", addr, err == nil, everywhere, err)
		}
		if code := stop(); code != cli.ExitOK {
			t.Errorf("%s: exit status %d", addr, code)
		}
	}
}

// ownAddress is one under which other machines see this one.
func ownAddress(t *testing.T) string {
	t.Helper()
	addrs := must.Get(net.InterfaceAddrs())(t)
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	testenv.Missing(t, "this machine has no network address besides the loopback")
	return ""
}

func TestQueueUsage(t *testing.T) {
	t.Parallel()
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	clitest.WantRefused(t, func(args ...string) (code int, out, errOut string) {
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Minute) // or it would serve for ever
		defer cancel()
		return clitest.RunIn(ctx, run, nil, append([]string{"queue"}, args...)...)
	}, clitest.Refusals{
		{[]string{"--addr", taken.Addr().String()}, "--addr: address " + taken.Addr().String() + " already in use: stop the program listening there, or choose another port"},
		{[]string{"--addr", "9324"}, `--addr: invalid address "9324": expected HOST:PORT, such as 127.0.0.1:9324`},
		{[]string{"--addr", "127.0.0.1:http!"}, "--addr: listen tcp"},
		{[]string{"--queue", ""}, "must have 1 to 76 letters"},
		{[]string{"--queue", "match.fifo"}, "must have 1 to 76 letters"},
		{[]string{"--queue", "match-dlq"}, "must not end in -dlq"},
		{[]string{"--queue", strings.Repeat("x", 77)}, "must have 1 to 76 letters"},
		{[]string{"match"}, `unexpected argument "match"`},
	})
}
