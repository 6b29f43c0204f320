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
		Short: "Read files into documents on this machine",
		Args:  cli.Args(1, cli.Many),
		RunE: func(cmd *cobra.Command, args []string) error {
			if bucket == "" {
				return w.Metered(func(m *term.Meter) (bool, error) { return o.Read(cmd.Context(), args, w.Env, w.Out, m) })
			}
			for _, flag := range []string{"match", "json", "html", "ocr", "logs", "database", "model"} {
				if cmd.Flags().Changed(flag) {
					return fmt.Errorf("--%s and --bucket are mutually exclusive: use one of them", flag)
				}
			}
			return w.Metered(func(m *term.Meter) (bool, error) { return true, o.Upload(cmd.Context(), args, bucket, w.Out, m) })
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.Match, "match", false, "match the documents as well")
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	flags.StringVar(&o.HTML, "html", "",
		"write a page with each field marked on its image to `FILE`")
	flags.StringVar(&o.OCR, "ocr", "auto",
		"`ENGINE` for pages without text: auto (tesseract if installed), tesseract or none")
	flags.StringVar(&o.Password, "password", "", "`FILE` with the passwords of encrypted PDFs, one in each line")
	flags.StringVar(&bucket, "bucket", "",
		"upload to the inbox of a deployed stack's bucket of this `NAME`, instead of reading here")
	flags.StringVar(&o.Tenant, "tenant", "",
		"tenant `ID` of the files (default a fixed one; required with --bucket)")
	flags.StringVar(&o.Logs, "logs", "", "append the logs of the functions to `FILE`; - is standard error")
	cli.DatabaseFlag(cmd, &o.Database)
	cli.ModelFlags(&o.Model, cmd, "openai if a key is set, otherwise none")
	return cmd
}
