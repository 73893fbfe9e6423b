package config

import _ "embed"

// Starting is the commented file that `anond config init` prints. It passes
// Load as it is; a test holds it to that, and to naming every key.
//
//go:embed starting.yaml
var Starting string
