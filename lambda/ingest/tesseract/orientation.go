package tesseract

import (
	"context"
	"image"
	"regexp"
	"strconv"
)

var (
	rotate    = regexp.MustCompile(`(?m)^Rotate: (\d+)$`)
	certainty = regexp.MustCompile(`(?m)^Orientation confidence: ([\d.]+)$`)
)

// Orientation returns by how many quarters the page has to be turned clockwise;
// 0 also where the program cannot tell, for lack of letters.
func (r *reader) Orientation(ctx context.Context, m *image.Gray) int {
	const detectOnly, quarter, sure = "0", 90, 2.0
	out, err := r.run(ctx, pgm(m), "stdin", "stdout", "--dpi", strconv.Itoa(r.DPI), "--psm", detectOnly)
	degrees, confidence := rotate.FindSubmatch(out), certainty.FindSubmatch(out)
	if err != nil || degrees == nil || confidence == nil {
		return 0
	}
	turn, _ := strconv.Atoi(string(degrees[1]))
	if c, _ := strconv.ParseFloat(string(confidence[1]), 64); c < sure {
		return 0
	}
	return turn / quarter
}
