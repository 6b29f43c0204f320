package doctor

import (
	"context"

	"matchbook/lambda/ingest/documentai"
	"matchbook/lambda/ingest/tesseract"
	"matchbook/lambda/manifest/variable"
)

type engine struct {
	name   string
	usable fact[problem]
}

const (
	withTesseract = "tesseract"
	withTextract  = "textract"
	documentAI    = "documentai"
)

// unreadKey is the stand-in for an unread key of Document AI.
const unreadKey = "key"

var checkOCR = map[string]string{
	withTesseract: "Install it (Debian: apt-get install tesseract-ocr tesseract-ocr-deu), or set OCR=none: " +
		"pages without text then go to a person.",
	documentAI: "Create a key of a service account with access to Document AI, and put its JSON into DOCUMENTAI_KEY " +
		"or its secret.",
}

func (l *look) engineHere(ctx context.Context, env variables) engine {
	if env[variable.OCR] != withTesseract {
		return l.engineAway(ctx, env)
	}
	_, err := tesseract.New(ctx, tesseract.Config{})
	found := problem("")
	if err != nil {
		found = problem(sentence(err))
	}
	return engine{withTesseract, known(found)}
}

func (l *look) engineAway(ctx context.Context, env variables) engine {
	name := env[variable.OCR]
	switch name {
	case withTesseract:
		return engine{name, unknown[problem]("the function runs on another machine")}
	case withTextract:
		return engine{name, unknown[problem]("the role's permissions are not checked")}
	case documentAI:
		return engine{name, l.askDocumentAI(ctx, env)}
	}
	return engine{name, unknown[problem]("OCR is none")}
}

// askDocumentAI lets Google accept the key, for free, but only with --ask.
func (l *look) askDocumentAI(ctx context.Context, env variables) fact[problem] {
	switch {
	case !l.Ask:
		return unknown[problem](notAsked)
	case env[variable.DocumentAIKey] == "":
		return unknown[problem]("unknown " + variable.DocumentAIKey + " on this machine")
	}
	client, err := documentai.New(documentai.Config{
		Key: env[variable.DocumentAIKey], Processor: env[variable.DocumentAIProcessor]})
	if err != nil {
		return unknown[problem]("unusable configuration")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	l.Progress("asking Google")
	if err := client.Check(ctx); err != nil {
		return known(problem(sentence(err)))
	}
	return known(problem(""))
}
