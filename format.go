package fst

import "errors"

// Format returns a script in its canonical form.
func Format(name, text string) (string, error) { return "", errors.New("no formatter yet") }
