// Reads formulas as JSON lines and writes them with the answers of expr, evaluated as KEDA does.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/expr-lang/expr"
)

type formula struct {
	Formula string             `json:"formula"`
	Values  map[string]float64 `json:"values"`
	Result  *float64           `json:"result,omitempty"`
	Error   string             `json:"error,omitempty"`
}

func evaluate(f formula) (value float64, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("%v", broken)
		}
	}()
	text := f.Formula
	if !strings.HasPrefix(text, "float(") {
		text = "float(" + text + ")"
	}
	program, err := expr.Compile(text, expr.Env(f.Values))
	if err != nil {
		return 0, err
	}
	result, err := expr.Run(program, f.Values)
	if err != nil {
		return 0, err
	}
	number, ok := result.(float64)
	if !ok || math.IsNaN(number) || math.IsInf(number, 0) {
		return 0, fmt.Errorf("no finite number: %v", result)
	}
	return number, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	answers.SetEscapeHTML(false)
	for lines.Scan() {
		var f formula
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			panic(err)
		}
		value, err := evaluate(f)
		if err != nil {
			f.Error, _, _ = strings.Cut(err.Error(), "\n")
		} else {
			f.Result = &value
		}
		if err := answers.Encode(f); err != nil {
			panic(err)
		}
	}
}
