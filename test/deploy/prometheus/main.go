// Checks files by the packages of Prometheus, as promtool and a scrape do: `rules <file>`, or `page <content type>` with a page of
// metrics as input.
package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/exemplar"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql/parser"
)

func main() {
	if len(os.Args) != 3 {
		fail(errors.New("usage: prometheus-check rules <file> | page <content type>"))
	}
	switch os.Args[1] {
	case "rules":
		checkRules(os.Args[2])
	case "page":
		checkPage(os.Args[2])
	default:
		fail(fmt.Errorf("unknown command %q", os.Args[1]))
	}
}

func checkRules(path string) {
	groups, errs := rulefmt.ParseFile(path, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		fail(errors.Join(errs...))
	}
	rules := 0
	for _, group := range groups.Groups {
		rules += len(group.Rules)
	}
	fmt.Printf("rules %d\n", rules)
}

func checkPage(contentType string) {
	page, err := io.ReadAll(os.Stdin)
	if err != nil {
		fail(err)
	}
	parsed, err := textparse.New(page, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		fail(err)
	}
	series, exemplars := 0, 0
	for {
		entry, err := parsed.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		series++
		var found exemplar.Exemplar
		for parsed.Exemplar(&found) {
			exemplars++
		}
	}
	fmt.Printf("series %d, exemplars %d\n", series, exemplars)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
