package transcript

// WithOriginal is implemented by images of a file that an engine may also read
// itself, in one piece and as sharp as it is.
type WithOriginal interface {
	Images
	Original() Original
}

// Original is a file as it was received.
type Original struct {
	Content  []byte
	MIMEType string
	Pages    []int // the numbers in the file of the images' pages; nil: its pages, in order
}
