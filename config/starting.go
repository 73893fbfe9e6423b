package config

import _ "embed"

// Starting is the commented file that `anond config init` prints. A test checks
// that it passes Load as it is, and that it names every key.
//
//go:embed starting.yaml
var Starting string
