package doctor

import (
	"context"
	"slices"

	"matchbook/lambda/cli/doctor/template"
	"matchbook/lambda/ingest/documentai"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/manifest"
)

// engine is the OCR that a function names.
type engine struct {
	name   string
	usable fact[problem]
}

const (
	withTesseract = "tesseract"
	withTextract  = "textract"
	documentAI    = "documentai"
)

// unreadKey stands in for a key of Document AI that is not read.
const unreadKey = "key"

// readText is the right that Textract wants, on all resources: it has none.
const readText = "textract:DetectDocumentText"

// checkOCR lists what to do about each engine.
var checkOCR = map[string]string{
	withTesseract: "Install it (Debian: apt-get install tesseract-ocr tesseract-ocr-deu), or set OCR=none: " +
		"pages without text then go to a person.",
	withTextract: "Let the function's role call " + readText + " on *: the setting ocr=textract does.",
	documentAI: "Make a new key of a service account that may use Document AI, and put its JSON into DOCUMENTAI_KEY " +
		"or its secret.",
}

// engineHere looks for the engine of a function on this machine.
func (l *look) engineHere(ctx context.Context, env variables) engine {
	if env[manifest.EnvOCR].Text != withTesseract {
		return l.engineAway(ctx, env)
	}
	_, err := tesseract.New(ctx, tesseract.Config{})
	said := problem("")
	if err != nil {
		said = problem(sentence(err))
	}
	return engine{withTesseract, known(said)}
}

// engineAway looks at the engine of a function elsewhere.
func (l *look) engineAway(ctx context.Context, env variables) engine {
	name := env[manifest.EnvOCR].Text
	switch name {
	case withTesseract:
		return engine{name, unknown[problem]("the function runs on another machine")}
	case withTextract:
		return engine{name, unknown[problem]("the rights of a role are not asked for: --template reads them")}
	case documentAI:
		return engine{name, l.askDocumentAI(ctx, env)}
	}
	return engine{name, unknown[problem]("OCR names no engine")}
}

// askDocumentAI has Google accept the key, with --ask only: that costs nothing.
func (l *look) askDocumentAI(ctx context.Context, env variables) fact[problem] {
	switch {
	case !l.Ask:
		return unknown[problem](notAsked)
	case env[manifest.EnvDocumentAIKey].Text == "":
		return unknown[problem](manifest.EnvDocumentAIKey + " is not known here")
	}
	client, err := documentai.New(documentai.Config{
		Key: env[manifest.EnvDocumentAIKey].Text, Processor: env[manifest.EnvDocumentAIProcessor].Text})
	if err != nil {
		return unknown[problem]("its configuration cannot be used")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	l.Progress("asking Google")
	if err := client.Check(ctx); err != nil {
		return known(problem(sentence(err)))
	}
	return known(problem(""))
}

// engineOf looks at the engine of a template's function, and at its right to use
// it.
func (l *look) engineOf(ctx context.Context, t templateReader, function string, env variables) engine {
	e := l.engineAway(ctx, env)
	if e.name == withTextract {
		e.usable = t.may(function, readText)
	}
	return e
}

// may reports whether the policies of a template let a function do that.
func (t templateReader) may(function, action string) fact[problem] {
	role := t.Resolve(t.Resource(function).Properties["Role"]).Resource
	own := t.Resource(role).Properties
	for _, name := range t.Names(template.TypePolicy) {
		p := t.Resource(name).Properties
		roles, _ := p["Roles"].([]any)
		of := slices.ContainsFunc(roles, func(r any) bool { return t.Resolve(r).Resource == role })
		if of && t.allows(p["PolicyDocument"], action) {
			return known(problem(""))
		}
	}
	if own == nil || own["Policies"] != nil || own["ManagedPolicyArns"] != nil {
		return unknown[problem]("the function's role has policies that are not in this template")
	}
	return known(problem("the role of " + function + " may not call " + action))
}

// allows reports whether a policy allows an action on all resources.
func (t templateReader) allows(policy any, action string) bool {
	document, _ := policy.(map[string]any)
	statements, _ := document["Statement"].([]any)
	for _, entry := range statements {
		s, _ := entry.(map[string]any)
		actions, is := s["Action"].([]any)
		if !is {
			actions = []any{s["Action"]}
		}
		if s["Effect"] == "Allow" && s["Resource"] == "*" && slices.Contains(actions, any(action)) {
			return true
		}
	}
	return false
}
