// Package scripted is a model server that asks no model: it speaks the two
// calls of the OpenAI API that Matchbook makes, and every answer, every fault
// and every embedding is decided beforehand, by whoever starts it. It is for
// tests and trial runs; nothing of it is used by the deployed functions, and
// nothing that it answers says anything about how well a real model would.
// It says so itself: in the header X-Scripted of each response, in the ids and
// in the texts of its answers and errors.
//
//	server, err := scripted.Start(ctx, scripted.Options{
//		Mind:     scripted.Oracle(links, parse),
//		Schedule: scripted.Random(1, 0.05, scripted.RateLimitSeconds, scripted.BadGateway),
//	})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	// OPENAI_BASE_URL is server.URL(), OPENAI_API_KEY is anything.
//
// # What it understands
//
// POST .../v1/chat/completions and .../v1/embeddings, under any prefix. What
// the API refuses it refuses, with the API's status and error; beyond that it
// refuses what Matchbook never means to send: an answer without a strict JSON
// schema, streaming, several choices, content in parts, one text to embed that
// is in no array, and every field that readChat and readEmbeddings do not list.
//
// # Who decides
//
// A Mind decides what is answered: a Script, a MindFunc, the Oracle, which
// knows what is true, or one of these made Noisy. Without an answer ("") the
// call is refused as a 400 with the code not_scripted. A Schedule decides which
// calls go wrong, and by which Fault. Both are given the Question, with how
// often it was asked before, and all that this package has of them decide by
// nothing else: neither time nor the order of arrival makes a difference, so
// that a run with the same questions meets the same answers and faults.
//
// A question is the model, the messages and the schema; a changed seed or
// temperature is the same question. Of a call for embeddings the texts, joined
// by line feeds, are the User text.
//
// # Tokens
//
// A text is as many tokens as a quarter of its bytes, rounded up. The prompt is
// the sum over the contents of the messages, or over the texts to embed; the
// completion is what is in the content, or in the refusal. The schema is free.
//
// # What it remembers
//
// Every call, in Calls, before the client sees any of its answer: hashes of
// question and answer, the texts only with Options.KeepText. A question that
// was told Retry-After and comes back earlier is in Violations. Times are those
// of Options.Now, which must be the clock that the client waits on; it is in
// the header Date, too.
package scripted
