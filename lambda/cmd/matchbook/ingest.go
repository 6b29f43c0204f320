package main

import (
	"fmt"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/local/ingestrun"

	"github.com/spf13/cobra"
)

func (w *invocation) ingestCommand() *cobra.Command {
	var o ingestrun.Options
	var bucket string
	cmd := &cobra.Command{
		Use:   "ingest FILE|DIR...",
		Short: "Read files into documents, each field with its place",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if bucket == "" {
				return w.Metered(func(m *term.Meter) (bool, error) { return o.Read(cmd.Context(), args, w.Env, w.Out, m) })
			}
			for _, flag := range []string{"match", "json", "html", "ocr", "logs", "database", "model"} {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s is for files that are read here: leave it or --bucket out", flag)
				}
			}
			return w.Metered(func(m *term.Meter) (bool, error) { return true, o.Upload(cmd.Context(), args, bucket, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Match, "match", false, "print what belongs together, too")
	flags.BoolVar(&o.JSON, "json", false, "print the report as JSON")
	flags.StringVar(&o.HTML, "html", "",
		"write a page to this file, with the image of each page and its fields marked")
	flags.StringVar(&o.OCR, "ocr", "auto",
		"auto, tesseract, none: reads pages without text; auto: tesseract where it is installed")
	flags.StringVar(&bucket, "bucket", "",
		"upload into the inbox of this bucket of a deployed stack, and read nothing here")
	flags.StringVar(&o.Tenant, "tenant", "",
		"the id of the tenant that owns the files (default a fixed one; --bucket needs it)")
	flags.StringVar(&o.Logs, "logs", "", "append what the functions log to this file; - is standard error")
	cli.DatabaseFlag(cmd, &o.Database)
	cli.ModelFlags(&o.Model, cmd, "openai with a key, else none")
	return cmd
}
