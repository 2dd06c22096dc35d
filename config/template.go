package config

import _ "embed"

// Template is a commented servers.toml to begin with.
//
//go:embed template.toml
var Template string
