package main

import (
	"context"
	"fmt"
	"path/filepath"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/eval/train"
	"matchbook/lambda/match/score"

	"github.com/spf13/cobra"
)

type trainOptions struct {
	leaveOut, write bool
	cases, tenant   string
	json            bool
	worst           int
}

func (w *invocation) trainCommand() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train DIR...",
		Short: "Measure the rules and learn their thresholds",
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.tenant != "" {
				return w.trainTenant(cmd.Context(), o.tenant, o.json)
			}
			return w.train(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.leaveOut, "leave-out", false, "learn from the other corpora, and measure on each left-out one")
	f.BoolVar(&o.write, "write", false, "write the learned numbers to lambda/match/score/learned.go, below the working directory")
	f.StringVar(&o.cases, "cases", "", "judge the cases in `FILE`, one JSON object per line")
	f.IntVar(&o.worst, "worst", 0, "show this many wrong matches and missed links, the worst first")
	f.StringVar(&o.tenant, "tenant", "", "show what the answers of the tenant with this `ID` changed, and nothing else")
	f.BoolVar(&o.json, "json", false, "with --tenant: print JSON")
	cli.Exclusive(cmd, "leave-out", "write", "worst", "tenant")
	cli.Exclusive(cmd, "cases", "tenant")
	return cmd
}

func (w *invocation) train(ctx context.Context, dirs []string, o trainOptions) error {
	meter := term.NewMeter(w.ErrOut)
	defer meter.Close()
	samples, err := readSamples(dirs)
	if err != nil {
		return err
	}
	switch {
	case len(samples) == 0:
	case o.leaveOut:
		err = w.leaveOut(ctx, samples)
	case o.write:
		err = w.learn(ctx, samples)
	default:
		err = w.measure(ctx, samples, o)
	}
	if err == nil && o.cases != "" {
		err = w.judge(ctx, o)
	}
	return err
}

func readSamples(dirs []string) (samples []*train.Sample, err error) {
	for _, dir := range dirs {
		for _, condition := range []string{"visible", "corrupted", "masked"} {
			s, err := train.ReadSample(dir, condition)
			if err != nil {
				return nil, err
			}
			samples = append(samples, s)
		}
	}
	return samples, nil
}

const figures = "%-22s %9s %9s %9s %9s %9s %9s"

func (w *invocation) measure(ctx context.Context, samples []*train.Sample, o trainOptions) error {
	fmt.Fprintf(w.Out, figures+"\n", "corpus, by rules alone", "precision", "recall", "F1", "undecided", "high", "ECE")
	for _, s := range samples {
		m, err := s.Measure(ctx, score.Learned)
		if err != nil {
			return err
		}
		w.figures(s, m)
		fmt.Fprintln(w.Out)
		for _, mistake := range m.Worst(o.worst) {
			w.mistake(m, mistake)
		}
	}
	return nil
}

func (w *invocation) figures(s *train.Sample, m train.Measurement) {
	fmt.Fprintf(w.Out, figures, s.Corpus+", "+s.Condition, m.Pairwise.Precision, m.Pairwise.Recall, m.Pairwise.F1,
		fmt.Sprint(m.Undecided), high(s, m), m.ECE)
}

// leaveOut prints the figures of each corpus by the numbers learned from the others.
func (w *invocation) leaveOut(ctx context.Context, samples []*train.Sample) error {
	outcomes, err := train.LeaveOut(ctx, samples)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.Out, figures+" %9s  %s\n", "corpus left out", "precision", "recall", "F1", "undecided", "high", "ECE",
		"in-sample", "best simple rule")
	for _, o := range outcomes {
		w.figures(o.Sample, o.LeftOut)
		fmt.Fprintf(w.Out, " %9s  %s, %s\n", o.InSample.Pairwise.F1, o.Best.Pairwise.F1, o.Best.Name)
	}
	return nil
}

// learn prints the learned numbers and writes them.
func (w *invocation) learn(ctx context.Context, samples []*train.Sample) error {
	n, err := train.Learn(ctx, samples)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.Out, "open from %d points on, matched from %d, high from %d\n", n.SuggestAt, n.MatchAt, n.HighAt)
	return train.Write(filepath.Join("lambda", "match", "score"), n, train.Corpora(samples))
}

func (w *invocation) mistake(m train.Measurement, mistake eval.Mistake) {
	d, found := m.Decisions[mistake.Pair]
	if !found {
		fmt.Fprintf(w.Out, "  %s %s %s: no pair\n", mistake.Kind, mistake.A, mistake.B)
		return
	}
	fmt.Fprintf(w.Out, "  %s %.2f %s %s - %s %s\n", mistake.Kind, d.Score, d.Pair.TypeA, mistake.A, d.Pair.TypeB, mistake.B)
	for _, e := range d.Evidence {
		fmt.Fprintf(w.Out, "      %+4d %-18s %s\n", e.Points, e.Name, e.Text)
	}
	if d.Pair.Veto != "" {
		fmt.Fprintf(w.Out, "      veto %s\n", d.Pair.Veto)
	}
}

// high returns the share of true ones among the matches of high confidence, "-" without any.
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
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", float64(right)/float64(all))
}

func (w *invocation) judge(ctx context.Context, o trainOptions) error {
	cases, err := train.ReadCases(o.cases)
	if err != nil {
		return err
	}
	total := map[train.Verdict]int{}
	for _, c := range cases {
		v, m, err := c.Judge(ctx, score.Learned)
		if err != nil {
			return err
		}
		if total[v]++; v == train.Right {
			continue
		}
		fmt.Fprintf(w.Out, "%-7s %-12s %s\n", v, c.Group, c.Name)
		for _, mistake := range m.Worst(o.worst) {
			w.mistake(m, mistake)
		}
	}
	fmt.Fprintf(w.Out, "cases: %d, %d right, %d to people, %d silent, %d wrong\n", len(cases), total[train.Right],
		total[train.People], total[train.Silent], total[train.Wrong])
	return nil
}
