package config

import (
	"path/filepath"
	"strings"
	"time"
)

// client is an MCP client whose file is read (C10), and what is peculiar to it.
type client struct {
	name    string
	section string // the key that holds the servers
	// ends are what the paths of its files end with; a path that ends with none of
	// any client's is told by its section alone.
	ends []string
	// places are where it keeps its files: below the home (~/), below
	// $XDG_CONFIG_HOME ($XDG/), in the project (./), or absolute. macOS has them in
	// places of its own too.
	places, darwin []string

	plain      bool          // nothing in its file is expanded
	dollar     bool          // $NAME is a variable too
	shell      bool          // $(…) is run
	unit       time.Duration // of `timeout`; 0: below 1000 it is taken for seconds
	startsWith bool          // `timeout` bounds the start, not a request
}

// clients are those that are known, each before those that share its section.
var clients = []client{
	{name: "Claude Desktop", section: "mcpServers", ends: []string{"claude_desktop_config.json"},
		places: []string{"$XDG/Claude/claude_desktop_config.json"},
		darwin: []string{"~/Library/Application Support/Claude/claude_desktop_config.json"}},
	{name: "Claude Code", section: "mcpServers", ends: []string{".claude.json", ".mcp.json"}, unit: time.Millisecond,
		places: []string{"~/.claude.json", "./.mcp.json"}},
	{name: "Cursor", section: "mcpServers", ends: []string{".cursor/mcp.json"},
		places: []string{"~/.cursor/mcp.json", "./.cursor/mcp.json"}},
	{name: "Windsurf", section: "mcpServers", ends: []string{"windsurf/mcp_config.json"},
		places: []string{"~/.codeium/windsurf/mcp_config.json"}},
	{name: "Gemini CLI", section: "mcpServers", ends: []string{".gemini/settings.json", "gemini-cli/settings.json"}, dollar: true, unit: time.Millisecond,
		places: []string{"~/.gemini/settings.json", "./.gemini/settings.json", "/etc/gemini-cli/settings.json"},
		darwin: []string{"/Library/Application Support/GeminiCli/settings.json"}},
	{name: "Cline", section: "mcpServers", ends: []string{"cline_mcp_settings.json"}, unit: time.Second,
		places: []string{"$XDG/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		darwin: []string{"~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"}},
	{name: "VS Code", section: "servers", ends: []string{".vscode/mcp.json", "Code/User/mcp.json"},
		places: []string{"./.vscode/mcp.json", "$XDG/Code/User/mcp.json"},
		darwin: []string{"~/Library/Application Support/Code/User/mcp.json"}},
	{name: "Zed", section: "context_servers", ends: []string{"zed/settings.json"}, unit: time.Second,
		places: []string{"$XDG/zed/settings.json", "~/.config/zed/settings.json", "./.zed/settings.json"}},
	{name: "opencode", section: "mcp", ends: []string{"opencode.json", "opencode.jsonc"}, unit: time.Millisecond, startsWith: true,
		places: []string{"$XDG/opencode/opencode.json", "./opencode.json", "./opencode.jsonc"}},
	{name: "crush", section: "mcp", ends: []string{"crush.json"}, dollar: true, shell: true, unit: time.Second, startsWith: true,
		places: []string{"$XDG/crush/crush.json", "./crush.json", "./.crush.json"}},
	{name: "Codex", section: "mcp_servers", ends: []string{".codex/config.toml"}, plain: true, unit: time.Second,
		places: []string{"~/.codex/config.toml", "./.codex/config.toml"}},
	{name: "goose", section: "extensions", ends: []string{"goose/config.yaml"}, dollar: true, unit: time.Second,
		places: []string{"$XDG/goose/config.yaml", "~/.config/goose/config.yaml"}},
}

// unknownClient is one that is known by its section only.
var unknownClient = client{name: "an MCP client", section: "mcpServers"}

// clientOf tells a file's client by its path, else by the section it has.
func clientOf(path, section string) *client {
	path = filepath.ToSlash(path)
	for i := range clients {
		for _, end := range clients[i].ends {
			if clients[i].section == section && strings.HasSuffix(path, end) {
				return &clients[i]
			}
		}
	}
	if section == "mcpServers" {
		return &unknownClient
	}
	last := &unknownClient
	for i := range clients {
		if clients[i].section == section {
			last = &clients[i]
		}
	}
	return last
}

// projectFolders are where clients keep a project's file, below the project.
var projectFolders = map[string]bool{".vscode": true, ".cursor": true, ".gemini": true, ".zed": true, ".codex": true, ".claude": true}

// projectFiles are names of files that lie in the project itself.
var projectFiles = map[string]bool{".mcp.json": true, "crush.json": true, ".crush.json": true, "opencode.json": true, "opencode.jsonc": true}

// projectOf is the project that a file belongs to; empty for one of the user's
// own. path is absolute.
func projectOf(path, home string) string {
	dir := filepath.Dir(path)
	project := ""
	switch {
	case projectFolders[filepath.Base(dir)]:
		project = filepath.Dir(dir)
	case projectFiles[filepath.Base(path)] && !strings.Contains(dir, "/.config/"):
		project = dir
	}
	if project == home {
		return ""
	}
	return project
}
