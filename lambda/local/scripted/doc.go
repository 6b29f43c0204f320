// Package scripted is a stub of the OpenAI API, limited to the two calls used by Matchbook.
// The program starting it scripts every answer, fault and embedding. Use it for tests and
// rehearsals only; you must not judge a real model's quality by its answers. Each response is
// marked as scripted: in the header X-Scripted, in the ids and in the texts of answers and
// errors.
//
//	server, err := scripted.Start(ctx, scripted.Options{
//		Mind:   scripted.ReviewByRules(),
//		Faults: scripted.Random(1, 0.05, scripted.RateLimitSeconds, scripted.Unavailable),
//	})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	// Set OPENAI_BASE_URL to server.URL() and OPENAI_API_KEY to anything.
//
// # Requests
//
// The server handles POST .../v1/chat/completions and .../v1/embeddings, under any prefix. It
// refuses every request refused by the API, with the same status and error. It also refuses
// requests Matchbook must never send: an answer without a strict JSON schema, streaming,
// multi-part content, a text to embed outside an array, and every field not listed in readChat
// and readEmbeddings.
//
// # Answers and faults
//
// A Mind decides the answers; if it returns "", the call gets a 400 with the code
// not_scripted. Faults decide which calls fail, and how. Both get the Question with the number
// of earlier calls for it, and the ones in this package use nothing else, neither time nor the
// order of arrival, so that the same questions always get the same answers and faults.
//
// There are three policies. Match questions are answered by a run's Model (see matches.go,
// key.go): with the true links, with these plus noise, by the values documents share, or
// always alike. Contract questions are answered by rules (see review.go). For extraction
// questions you must supply a Mind, because only the printed document has the answer.
//
// A question is the model, the messages and the schema, so another seed or temperature doesn't
// make another question. For an embeddings call the User text is the texts, joined by
// newlines.
//
// # The model of a run
//
// A local run uses a Model, selected by --model: none, a real one, or a server of this
// package. It sets the function's variables and reports the usage.
//
// # Tokens
//
// A text has a quarter of its bytes in tokens, rounded up. The prompt is the sum over the
// messages, with at least llm.LeastTokens each so that no question looks truncated, or over
// the texts to embed. The completion is the content, or the refusal. The schema is free.
//
// # The record
//
// Calls returns every call, recorded before the client sees any of the response: hashes of
// question and answer, and the texts only with Options.KeepText. A question repeated before
// its Retry-After is in Violations. Times, including the header Date, are read from
// Options.Now, which must be the clock the client waits on.
package scripted
