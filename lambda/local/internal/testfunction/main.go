// Command testfunction is the Lambda function for the tests of package local. The payload
// determines its behavior: {"do": "..."}, or an SQS event with such bodies; the variable INIT
// determines its start-up.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-lambda-go/lambdaurl"
)

func main() {
	switch os.Getenv("INIT") {
	case "exit":
		fmt.Println("cannot open the database")
		os.Exit(3)
	case "post":
		postInitError()
	case "hang":
		hang()
	}
	if os.Getenv("URL") != "" {
		lambdaurl.Start(http.HandlerFunc(serve))
	}
	handler := handlerFunc(handle)
	if file := os.Getenv("SIGTERM_FILE"); file != "" {
		lambda.StartWithOptions(handler, lambda.WithEnableSIGTERM(func() {
			_ = os.WriteFile(file, []byte("flushed"), 0o600)
		}))
	}
	lambda.Start(handler)
}

// serve handles requests of a function URL; see its cases for the paths.
func serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/echo":
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("X-Query", r.URL.Query().Get("q"))
		w.Header().Set("X-Host", r.Host+" "+r.Header.Get("X-Given"))
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	case "/stream": // a line before the gate and one after it
		_, _ = io.WriteString(w, "first\n")
		_, _ = hold(r.URL.Query().Get("addr"))
		_, _ = io.WriteString(w, "second\n")
	}
}

// handlerFunc returns raw bytes, so that a test can respond with garbage.
type handlerFunc func(ctx context.Context, payload []byte) ([]byte, error)

// Invoke implements lambda.Handler.
func (h handlerFunc) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return h(ctx, payload)
}

type order struct {
	Do   string `json:"do"`
	Addr string `json:"addr"`
	events.SQSEvent
}

func handle(ctx context.Context, payload []byte) ([]byte, error) {
	var o order
	if err := json.Unmarshal(payload, &o); err != nil {
		return nil, err
	}
	if len(o.Records) > 0 {
		return handleRecords(ctx, o.Records)
	}
	if answer, err := obey(ctx, o.Do, o.Addr); answer != nil || err != nil {
		return answer, err
	}
	return payload, nil
}

func obey(ctx context.Context, do, addr string) ([]byte, error) {
	switch do {
	case "env":
		return json.Marshal(os.Environ())
	case "context":
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		return json.Marshal(map[string]any{"id": lc.AwsRequestID, "arn": lc.InvokedFunctionArn,
			"trace": os.Getenv("_X_AMZN_TRACE_ID"), "left": time.Until(deadline)})
	case "error":
		return nil, errors.New("unknown document")
	case "panic":
		panic("out of paper")
	case "exit":
		os.Exit(7)
	case "hang":
		hang()
	case "big":
		return []byte(`"` + strings.Repeat("x", 6<<20) + `"`), nil
	case "hold":
		return hold(addr)
	case "hold-child":
		return nil, exec.Command(os.Args[0], "child", addr).Run()
	case "log":
		fmt.Print("first\nsecond\nno newline")
		os.Exit(0)
	}
	return nil, nil
}

// hold connects to addr, sends its process id and waits for the other side to release it. The
// connection ends with the process.
func hold(addr string) ([]byte, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "%d\n", os.Getpid())
	if _, err := io.ReadAll(conn); err != nil {
		return nil, err
	}
	return json.Marshal(os.Getpid())
}

func init() {
	if len(os.Args) == 3 && os.Args[1] == "child" {
		_, _ = hold(os.Args[2])
		os.Exit(0)
	}
}

func handleRecords(ctx context.Context, records []events.SQSMessage) ([]byte, error) {
	var response events.SQSEventResponse
	for _, r := range records {
		switch do, argument, _ := strings.Cut(r.Body, " "); do {
		case "answer":
			return []byte(argument), nil
		case "fail":
			response.BatchItemFailures = append(response.BatchItemFailures,
				events.SQSBatchItemFailure{ItemIdentifier: r.MessageId})
		default:
			if _, err := obey(ctx, do, argument); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(response)
}

// postInitError posts a start-up error like the runtimes of other languages.
func postInitError() {
	resp, err := http.Post("http://"+os.Getenv("AWS_LAMBDA_RUNTIME_API")+"/2018-06-01/runtime/init/error",
		"application/json",
		strings.NewReader(`{"errorType":"Config.Missing","errorMessage":"no QUEUE_URL"}`))
	if err == nil {
		resp.Body.Close()
	}
	hang()
}

// hang waits until the process is killed. An empty select doesn't always: without another
// goroutine the Go runtime calls it a deadlock and exits.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}
