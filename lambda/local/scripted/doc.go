// Package scripted is a model server without a model: it speaks the two calls
// of the OpenAI API that Matchbook makes, and the program that starts it decides
// every answer, every fault and every embedding beforehand. It is for tests and
// rehearsals; the deployed functions do not use it, and its answers are no
// evidence of the quality of a real model. Each response
// names its origin: in the header X-Scripted, in the ids and in the texts of
// its answers and errors.
//
//	server, err := scripted.Start(ctx, scripted.Options{
//		Mind:   scripted.ReviewByRules(),
//		Faults: scripted.Random(1, 0.05, scripted.RateLimitSeconds, scripted.Unavailable),
//	})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	// OPENAI_BASE_URL is server.URL(), OPENAI_API_KEY is anything.
//
// # Requests
//
// POST .../v1/chat/completions and .../v1/embeddings, under any prefix. It
// refuses every request that the API refuses, with the API's status and error;
// beyond that it refuses requests that Matchbook never intends to send: an
// answer without a strict JSON schema, streaming, content in parts, one text to embed outside an array, and every field that readChat and
// readEmbeddings do not list.
//
// # Answers and faults
//
// A Mind decides the answers. Without an answer ("") the call is refused as a 400
// with the code not_scripted. Faults decide which calls fail, and how. Both get the
// Question, with the number of times that it was asked before, and the ones in this
// package decide by nothing else: neither time nor the order of arrival makes a
// difference, so that a run with the same questions meets the same answers and
// faults.
//
// There are three policies. Questions about matches are answered by a Model of the
// run (matches.go, key.go): with the true links, with these and some noise, by what
// documents have in common, or always alike. Questions about contracts are
// answered by rules (review.go).
// Whoever asks for the extraction of a document brings a Mind, because only the
// printed document has the answer.
//
// A question is the model, the messages and the schema; a changed seed or
// temperature is the same question. For a call for embeddings the User text is
// the texts, joined by line feeds.
//
// # The model of a run
//
// Model is what a local run asks, by its --model: nothing, a real model, or a
// server of this package. It sets the function's variables, and reports what was
// asked.
//
// # Tokens
//
// The tokens of a text are a quarter of its bytes, rounded up. The prompt is
// the sum over the contents of the messages, of each llm.LeastTokens at least, so
// that no question looks cut, or over the texts to embed; the
// completion is the content, or the refusal. The schema is free.
//
// # The record
//
// Calls has every call before the client sees any of its answer: hashes of
// question and answer, the texts only with Options.KeepText. A question that
// is repeated before its Retry-After has passed is in Violations. Times are
// read from Options.Now, which must be the clock that the client waits on; it is
// in the header Date, too.
package scripted
