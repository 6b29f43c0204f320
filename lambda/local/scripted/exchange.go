package scripted

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// exchange is a call before its reply.
type exchange struct {
	request
	at         time.Time
	retryAfter time.Duration
	answer     string // the Mind's; "" if the fault isn't billed, and for embeddings
}

// right returns the reply of a call without a fault.
func (x exchange) right() reply {
	if x.embeddings {
		return x.vectors(x.inputs)
	}
	return x.generated(x.answer)
}

// generated returns a response with an answer of the model, truncated to the request's limit.
func (x exchange) generated(content string) reply {
	if limit := 4 * x.request.completion; limit > 0 && len(content) > limit {
		return x.completion(runes(content, limit), "length")
	}
	return x.completion(content, "stop")
}

type choice struct {
	Index        int     `json:"index"`
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Role    string  `json:"role"`
	Content *string `json:"content"`
	Refusal *string `json:"refusal"`
}

func (x exchange) completion(content, finish string) reply {
	return x.chat(content, choice{Message: message{Role: "assistant", Content: &content}, FinishReason: finish})
}

func (x exchange) refused() reply {
	text := "(scripted) I'm sorry, I can't help with that."
	return x.chat(text, choice{Message: message{Role: "assistant", Refusal: &text}, FinishReason: "stop"})
}

// noChoices returns a response without an answer.
func (x exchange) noChoices() reply {
	if x.embeddings {
		return x.vectors(nil)
	}
	return x.chat("")
}

// chat returns a chat completion with the given content.
func (x exchange) chat(content string, choices ...choice) reply {
	usage := Usage{x.prompt, tokens(content), x.prompt + tokens(content)}
	if choices == nil {
		choices = []choice{}
	}
	body := marshal(struct {
		ID                string   `json:"id"`
		Object            string   `json:"object"`
		Created           int64    `json:"created"`
		Model             string   `json:"model"`
		Choices           []choice `json:"choices"`
		Usage             Usage    `json:"usage"`
		SystemFingerprint string   `json:"system_fingerprint"`
	}{x.id(), "chat.completion", x.at.Unix(), x.question.Model, choices, usage, "scripted_no_model"})
	return reply{status: http.StatusOK, body: []byte(body), content: content, usage: usage}
}

func (x exchange) id() string {
	return "chatcmpl-scripted-" + hash(x.question.key() + strconv.Itoa(x.question.N))[:20]
}

// vectors returns a response with the embeddings of texts.
func (x exchange) vectors(texts []string) reply {
	type entry struct {
		Object    string    `json:"object"`
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	data := []entry{}
	for i, text := range texts {
		data = append(data, entry{"embedding", i, vector(text, x.dimensions)})
	}
	usage := struct {
		PromptTokens int `json:"prompt_tokens"`
		TotalTokens  int `json:"total_tokens"`
	}{x.prompt, x.prompt}
	body := marshal(struct {
		Object string  `json:"object"`
		Data   []entry `json:"data"`
		Model  string  `json:"model"`
		Usage  any     `json:"usage"`
	}{"list", data, x.question.Model, usage})
	return reply{status: http.StatusOK, body: []byte(body), content: body,
		usage: Usage{PromptTokens: x.prompt, TotalTokens: x.prompt}}
}

// matches returns the answer to a match question; it is empty for other questions.
func (x exchange) matches() matchAnswer {
	m, _ := readMatches(x.answer)
	return m
}

// ends returns the right reply with another ending.
func (x exchange) ends(how ending) reply {
	r := x.right()
	r.ending = how
	return r
}

func (x exchange) truncated() reply {
	r := x.right()
	r.body = r.body[:len(r.body)/2]
	return r
}

// huge returns the right reply after 10 MB of an unknown field.
func (x exchange) huge() reply {
	r := x.right()
	padding := `{"scripted_padding":"` + strings.Repeat("x", 10_000_000) + `",`
	r.body = append([]byte(padding), r.body[1:]...)
	return r
}

// later adds a Retry-After, in whole seconds or as a date.
func (x exchange) later(r reply, date bool) reply {
	if date {
		r.notBefore = ceiling(x.at.Add(x.retryAfter))
		r.retryAfter = r.notBefore.UTC().Format(http.TimeFormat)
		return r
	}
	wait := (x.retryAfter + time.Second - 1).Truncate(time.Second)
	r.notBefore = x.at.Add(wait)
	r.retryAfter = strconv.Itoa(int(wait.Seconds()))
	return r
}

func ceiling(t time.Time) time.Time {
	whole := t.Truncate(time.Second)
	if whole.Before(t) {
		whole = whole.Add(time.Second)
	}
	return whole
}

func half(text string) string { return runes(text, len(text)/2) }

// runes cuts a text at a limit in bytes, without splitting a rune.
func runes(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
