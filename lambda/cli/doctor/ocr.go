package doctor

import (
	"context"

	"matchbook/lambda/ingest/documentai"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/manifest/variable"
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

// checkOCR lists what to do about each engine.
var checkOCR = map[string]string{
	withTesseract: "Install it (Debian: apt-get install tesseract-ocr tesseract-ocr-deu), or set OCR=none: " +
		"pages without text then go to a person.",
	documentAI: "Make a new key of a service account that may use Document AI, and put its JSON into DOCUMENTAI_KEY " +
		"or its secret.",
}

// engineHere looks for the engine of a function on this machine.
func (l *look) engineHere(ctx context.Context, env variables) engine {
	if env[variable.OCR] != withTesseract {
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
	name := env[variable.OCR]
	switch name {
	case withTesseract:
		return engine{name, unknown[problem]("the function runs on another machine")}
	case withTextract:
		return engine{name, unknown[problem]("the rights of a role are not asked for")}
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
	case env[variable.DocumentAIKey] == "":
		return unknown[problem](variable.DocumentAIKey + " is not known here")
	}
	client, err := documentai.New(documentai.Config{
		Key: env[variable.DocumentAIKey], Processor: env[variable.DocumentAIProcessor]})
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
