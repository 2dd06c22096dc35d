package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rollcall/bus"
	"rollcall/config"
)

// completionLimit bounds how long a shell waits for names.
const completionLimit = time.Second

// completeOne completes the one name that a command takes.
func (a *app) completeOne(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := a.vocabulary()
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeNames completes one more name of several.
func (a *app) completeNames(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names, _ := a.vocabulary()
	names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(args, n) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeTags completes a tag.
func (a *app) completeTags(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, tags := a.vocabulary()
	return tags, cobra.ShellCompDirectiveNoFileComp
}

// vocabulary is the names and the tags of the servers: the running engine's,
// else those of the configuration's file; none where neither can be read.
func (a *app) vocabulary() (names, tags []string) {
	note := func(tag string) {
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	socket, _, err := a.whereEngine()
	if err != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	if client, err := bus.Dial(ctx, socket, bus.DialOptions{Version: cleanVersion(), ReadOnly: true}); err == nil {
		defer client.Close()
		fleet, err := client.Whole(ctx)
		for _, r := range fleet.Rows {
			names = append(names, r.Server)
			for _, tag := range tagsOf(r) {
				note(tag)
			}
		}
		if err == nil {
			return names, tags
		}
	}
	env := processEnv()
	path, err := config.Find(a.config, env)
	if err != nil {
		return nil, nil
	}
	file, err := config.Load(path, env)
	if err != nil {
		return nil, nil
	}
	for _, e := range file.Entries {
		names = append(names, e.Name)
		for _, tag := range e.Tags() {
			note(tag.String())
		}
	}
	return names, tags
}
