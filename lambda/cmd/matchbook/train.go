package main

import (
	"context"
	"fmt"

	"matchbook/lambda/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/term"
	"matchbook/lambda/train"

	"github.com/spf13/cobra"
)

type trainOptions struct {
	measure bool
	cases   string
	worst   int
}

func (w *invocation) trainCommand() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train DIR...",
		Short: "Measure the rules on known matches, in memory",
		RunE:  func(cmd *cobra.Command, args []string) error { return w.train(cmd.Context(), args, o) },
	}
	cmd.Flags().BoolVar(&o.measure, "measure", true, "measure the rules as they are")
	cmd.Flags().StringVar(&o.cases, "cases", "", "a file of cases, one JSON object a line")
	cmd.Flags().IntVar(&o.worst, "worst", 0, "show this many wrong matches and this many missed links, the worst first")
	return cmd
}

func (w *invocation) train(ctx context.Context, dirs []string, o trainOptions) error {
	meter := term.NewMeter(w.errOut)
	defer meter.Close()
	if len(dirs) > 0 {
		fmt.Fprintf(w.out, "%-44s %9s %9s %9s %9s %9s\n", "corpus, by rules alone", "precision", "recall", "F1", "undecided", "high")
	}
	for _, dir := range dirs {
		for _, condition := range []string{"visible", "corrupted", "masked"} {
			if err := w.measure(ctx, dir, condition, o); err != nil {
				return err
			}
		}
	}
	if o.cases != "" {
		return w.judge(ctx, o)
	}
	return nil
}

func (w *invocation) measure(ctx context.Context, dir, condition string, o trainOptions) error {
	c, err := corpus.Read(dir, condition)
	if err != nil {
		return err
	}
	s, err := train.NewSample(c.Documents, c.Links)
	if err != nil {
		return err
	}
	m, err := s.Measure(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%-44s %9s %9s %9s %9d %9s\n", dir+", "+condition, m.Pairwise.Precision, m.Pairwise.Recall,
		m.Pairwise.F1, m.Undecided, high(s, m))
	for _, mistake := range m.Worst(o.worst) {
		w.mistake(m, mistake)
	}
	return nil
}

func (w *invocation) mistake(m train.Measurement, mistake eval.Mistake) {
	d, found := m.Decisions[mistake.Pair]
	if !found {
		fmt.Fprintf(w.out, "  %s %s %s: no pair\n", mistake.Kind, mistake.A, mistake.B)
		return
	}
	fmt.Fprintf(w.out, "  %s %.2f %s %s - %s %s\n", mistake.Kind, d.Score, d.Pair.TypeA, mistake.A, d.Pair.TypeB, mistake.B)
	for _, e := range d.Evidence {
		fmt.Fprintf(w.out, "      %+4d %-18s %s\n", e.Points, e.Name, e.Text)
	}
	if d.Pair.Veto != "" {
		fmt.Fprintf(w.out, "      veto %s\n", d.Pair.Veto)
	}
}

// high is the share of the matches of high confidence that are true.
func high(s *train.Sample, m train.Measurement) string {
	links := make(map[corpus.Pair]bool, len(s.Links))
	for _, l := range s.Links {
		links[l] = true
	}
	right, all := 0, 0
	for pair, d := range m.Decisions {
		if d.Outcome == "matched" && d.Confidence == "high" {
			all++
			if links[pair] {
				right++
			}
		}
	}
	return fmt.Sprintf("%.4f", float64(right)/float64(max(all, 1)))
}

func (w *invocation) judge(ctx context.Context, o trainOptions) error {
	cases, err := train.ReadCases(o.cases)
	if err != nil {
		return err
	}
	total := map[train.Verdict]int{}
	for _, c := range cases {
		v, m, err := c.Judge(ctx)
		if err != nil {
			return err
		}
		if total[v]++; v == train.Right {
			continue
		}
		fmt.Fprintf(w.out, "%-7s %-12s %s\n", v, c.Group, c.Name)
		for _, mistake := range m.Worst(o.worst) {
			w.mistake(m, mistake)
		}
	}
	fmt.Fprintf(w.out, "cases: %d, %d right, %d to people, %d silent, %d wrong\n", len(cases), total[train.Right],
		total[train.People], total[train.Silent], total[train.Wrong])
	return nil
}
