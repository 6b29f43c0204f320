package textract

import (
	"image"
	"math"
	"strings"
	"unicode/utf8"

	"matchbook/lambda/ingest/transcript"

	"github.com/aws/aws-sdk-go-v2/service/textract/types"
)

func complete(blocks []types.Block) bool {
	for _, b := range blocks {
		if b.BlockType != types.BlockTypeLine {
			continue
		}
		if b.Text == nil || b.Confidence == nil || b.Geometry == nil || b.Geometry.BoundingBox == nil {
			return false
		}
	}
	return true
}

// words returns the lines of an answer, with places in pixels, and whether most of the text is
// turned.
func words(blocks []types.Block, m *image.Gray) (lines []transcript.Word, mostTurned bool) {
	const percent = 100
	width, height := float64(m.Rect.Dx()), float64(m.Rect.Dy())
	angles := anglesOf(blocks)
	letters, turned := 0, 0
	for _, b := range blocks {
		if b.BlockType != types.BlockTypeLine || strings.TrimSpace(*b.Text) == "" {
			continue
		}
		box := b.Geometry.BoundingBox
		left, top := float64(box.Left)*width, float64(box.Top)*height
		line := transcript.Word{
			Text: strings.Join(strings.Fields(*b.Text), " "),
			Box: transcript.Box{Left: left, Top: top,
				Right: left + float64(box.Width)*width, Bottom: top + float64(box.Height)*height},
			Confidence: float64(*b.Confidence) / percent,
			Turned:     quarters(b, angles),
		}
		n := utf8.RuneCountInString(line.Text)
		if letters += n; line.Turned != 0 {
			turned += n
		}
		lines = append(lines, line)
	}
	return lines, 2*turned > letters
}

// anglesOf returns the rotations of blocks. Words have one; lines may not.
func anglesOf(blocks []types.Block) map[string]float32 {
	angles := map[string]float32{}
	for _, b := range blocks {
		if b.Id != nil && b.Geometry != nil && b.Geometry.RotationAngle != nil {
			angles[*b.Id] = *b.Geometry.RotationAngle
		}
	}
	return angles
}

// quarters returns by how many quarters a line is turned: by its rotation, or by its first
// word with one. The documentation states 0, 90, 180 and 270 degrees but not their direction;
// we assume clockwise.
func quarters(line types.Block, angles map[string]float32) int {
	ids := []string{}
	if line.Id != nil {
		ids = append(ids, *line.Id)
	}
	for _, r := range line.Relationships {
		if r.Type == types.RelationshipTypeChild {
			ids = append(ids, r.Ids...)
		}
	}
	for _, id := range ids {
		if angle, ok := angles[id]; ok {
			return int(math.Round(float64(angle)/90)) & 3
		}
	}
	return 0
}
