package scripted_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"matchbook/lambda/local/scripted"
)

// A server that always chooses the second candidate, and answers the first call for
// each question with 429.
func Example() {
	const second = `{"matches":[{"candidate":2,"confidence":"high","reasoning":"Scripted."}]}`
	server, err := scripted.Start(context.Background(), scripted.Options{
		Mind:   func(scripted.Question) string { return second },
		Faults: scripted.Ordered(scripted.Order{Faults: []scripted.Fault{scripted.QuotaExhausted}}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	const question = `{"model":"any","messages":[{"role":"user","content":"order-7 invoice-9 invoice-1"}],
		"response_format":{"type":"json_schema","json_schema":{"name":"matches","strict":true,"schema":{"type":"object",
		"additionalProperties":false,"required":["matches"],"properties":{"matches":{"type":"array","items":{"type":"object",
		"additionalProperties":false,"required":["candidate"],"properties":{"candidate":{"type":"integer"}}}}}}}}}`
	for range 2 {
		response, err := http.Post(server.URL()+"/chat/completions", "application/json", strings.NewReader(question))
		if err != nil {
			fmt.Println(err)
			return
		}
		var body struct {
			Choices []struct{ Message struct{ Content string } }
		}
		err = json.NewDecoder(response.Body).Decode(&body)
		response.Body.Close()
		fmt.Println(response.StatusCode, err)
		for _, choice := range body.Choices {
			fmt.Println(choice.Message.Content)
		}
	}
	fmt.Println(len(server.Calls()), "calls,", server.Faults())
	// Output:
	// 429 <nil>
	// 200 <nil>
	// {"matches":[{"candidate":2,"confidence":"high","reasoning":"Scripted."}]}
	// 2 calls, map[429 insufficient_quota:1]
}
