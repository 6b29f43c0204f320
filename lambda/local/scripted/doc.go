// Package scripted is a model server without a model: it speaks the two calls
// of the OpenAI API that Matchbook makes, and the program that starts it decides
// every answer, every fault and every embedding beforehand. It is for tests and
// rehearsals; the deployed functions do not use it, and its answers are no
// evidence of the quality of a real model. Each response
// names its origin: in the header X-Scripted, in the ids and in the texts of
// its answers and errors.
//
//	server, err := scripted.Start(ctx, scripted.Options{
//		Mind:     scripted.Oracle(links, parse),
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
// answer without a strict JSON schema, streaming, several choices, content in
// parts, one text to embed outside an array, and every field that readChat and
// readEmbeddings do not list.
//
// # Answers and faults
//
// A Mind decides the answers: a function, the Oracle, which knows the true
// links, or one of these made Noisy. Without an answer ("") the call is
// refused as a 400 with the code not_scripted. Faults decide which calls
// fail, and how. Both get the Question, with the number of times
// that it was asked before, and those in this package decide by nothing else:
// neither time nor the order of arrival makes a difference, so that a run with
// the same questions meets the same answers and faults.
//
// A question is the model, the messages and the schema; a changed seed or
// temperature is the same question. For a call for embeddings the User text is
// the texts, joined by line feeds.
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
