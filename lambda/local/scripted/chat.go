package scripted

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"matchbook/lambda/llm"
)

// readChat decodes and checks the body of a chat completion request.
func readChat(body []byte) (request, *refusal) {
	o := newObject(body, "", "model", "messages", "response_format", "temperature", "seed", "stream",
		"max_tokens", "max_completion_tokens", "reasoning_effort", "store")
	in := request{}
	in.question.Model = o.name("model")
	o.messages(&in)
	o.sampling(in.question.Model)
	in.completion = o.completion(in.question.Model)
	o.format(&in)
	if o.wrong == nil && in.prompt+in.completion > contextTokens {
		o.wrong = contextExceeded(in.prompt + in.completion)
	}
	return in, o.wrong
}

func contextExceeded(asked int) *refusal {
	return invalid("messages", "context_length_exceeded",
		"This model's maximum context length is %d tokens. However, your request has %d tokens.", contextTokens, asked)
}

// messages reads the messages.
func (o *object) messages(in *request) {
	var list []json.RawMessage
	o.need("messages", "an array of objects", &list)
	o.check(o.wrong != nil || len(list) > 0, "messages", "a non-empty array")
	var system, user []string
	for i, raw := range list {
		m := newObject(raw, fmt.Sprintf("messages[%d].", i), "role", "content")
		role, content := m.name("role"), m.name("content")
		m.check(slices.Contains([]string{"system", "developer", "user", "assistant"}, role), "role",
			"'system', 'developer', 'user' or 'assistant'")
		if o.wrong == nil {
			o.wrong = m.wrong
		}
		in.prompt += max(tokens(content), llm.LeastTokens(content))
		if role == "system" || role == "developer" {
			system = append(system, content)
		} else {
			user = append(user, content)
		}
	}
	in.question.System, in.question.User = strings.Join(system, "\n\n"), strings.Join(user, "\n\n")
}

// sampling checks the parameters without an effect on the answer here.
func (o *object) sampling(model string) {
	temperature, warm := within(o, "temperature", "a decimal", 0, 2.0)
	within[int64](o, "seed", "an integer", math.MinInt64, math.MaxInt64)
	stream, store, effort := false, false, ""
	o.take("stream", "a boolean", &stream)
	o.check(!stream, "stream", "false: the scripted server does not stream")
	o.take("store", "a boolean", &store)
	if o.take("reasoning_effort", "a string", &effort) {
		o.check(slices.Contains([]string{"none", "minimal", "low", "medium", "high", "xhigh"}, effort), "reasoning_effort",
			"a known effort")
		if !reasons(model) {
			o.refuse("reasoning_effort", "unsupported_parameter",
				"Unsupported parameter: 'reasoning_effort' is not supported with this model.")
		}
	}
	if reasons(model) && effort != "none" && warm && temperature != 1 {
		o.refuse("temperature", "unsupported_value",
			"'temperature': only the default (1) value is supported with this model.")
	}
}

// completion reads the limit of the answer, in tokens.
func (o *object) completion(model string) int {
	old, both := within[int64](o, "max_tokens", "an integer", 1, maxCompletion)
	limit, given := within[int64](o, "max_completion_tokens", "an integer", 1, maxCompletion)
	if both && given {
		o.refuse("max_tokens", "invalid_parameter_combination",
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	}
	if both && reasons(model) {
		o.refuse("max_tokens", "unsupported_parameter",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	}
	return int(max(old, limit))
}

// reasons reports whether the name belongs to a reasoning model, because these refuse some
// parameters of the other models.
func reasons(model string) bool {
	return slices.ContainsFunc([]string{"o1", "o3", "o4", "gpt-5", "gpt-6"},
		func(series string) bool { return strings.HasPrefix(model, series) })
}

// format reads the schema of the answer.
func (o *object) format(in *request) {
	var raw json.RawMessage
	o.need("response_format", "an object", &raw)
	if o.wrong != nil {
		return
	}
	f := newObject(raw, "response_format.", "type", "json_schema")
	kind := f.name("type")
	f.check(kind == "json_schema", "type", "'json_schema': the scripted server answers nothing else")
	f.need("json_schema", "an object", &raw)
	if o.wrong = f.wrong; o.wrong != nil {
		return
	}
	j := newObject(raw, "response_format.json_schema.", "name", "strict", "schema")
	name, strict := j.name("name"), false
	j.check(validName.MatchString(name), "name", "letters, digits, _ and -, at most 64")
	j.take("strict", "a boolean", &strict)
	j.check(strict, "strict", "true: the scripted server takes no loose schema")
	j.need("schema", "an object", &in.question.Schema)
	in.question.Name = name
	if o.wrong = j.wrong; o.wrong != nil {
		return
	}
	if problem := checkSchema(in.question.Schema); problem != "" {
		o.wrong = invalid("response_format", "", "Invalid schema for response_format '%s': %s", name, problem)
	}
}
