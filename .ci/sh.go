// A POSIX shell for Windows under wine, as far as git needs one for hooks and editors: sh FILE ARGS, sh -c TEXT ARGS.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// There any file is executable, which Go's file modes do not say; and the interpreter has no $0.
var replacer = strings.NewReplacer("test -x ", "test -f ", "[ -x ", "[ -f ", "$0", "${ZERO}", "${0%", "${ZERO%")

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// Windows itself starts no script, and has no cat.
func runScripts(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		if handler := interp.HandlerCtx(ctx); len(args) == 1 && args[0] == "cat" {
			_, err := io.Copy(handler.Stdout, handler.Stdin)
			return err
		}
		start := make([]byte, 2)
		if file, err := os.Open(args[0]); err == nil {
			file.Read(start)
			file.Close()
		}
		if own, err := os.Executable(); err == nil && string(start) == "#!" {
			args = append([]string{own}, args...)
		}
		return next(ctx, args)
	}
}

func run(args []string) (int, error) {
	var text, name string
	if len(args) > 1 && args[0] == "-c" {
		text, args = args[1], args[2:]
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
	} else if len(args) > 0 {
		data, err := os.ReadFile(args[0])
		if err != nil {
			return 127, err
		}
		text, name, args = string(data), args[0], args[1:]
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(replacer.Replace(text)), name)
	if err != nil {
		return 2, err
	}
	os.Setenv("ZERO", strings.ReplaceAll(name, "\\", "/"))
	parameters := append([]string{"--"}, args...)
	options := []interp.RunnerOption{
		interp.StdIO(os.Stdin, os.Stdout, os.Stderr), interp.Params(parameters...), interp.ExecHandlers(runScripts),
	}
	runner, err := interp.New(options...)
	if err != nil {
		return 2, err
	}
	err = runner.Run(context.Background(), file)
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return int(status), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
