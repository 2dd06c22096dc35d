package alert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The formats of a webhook (A5).
const (
	JSON       = "json"       // the post as an object
	Slack      = "slack"      // {"text": …}
	Discord    = "discord"    // {"content": …}, which pings nobody
	Connectome = "connectome" // {"content": …}
)

// Formats are the formats, the default first.
func Formats() []string { return []string{JSON, Slack, Discord, Connectome} }

// body is a post as a webhook of a format wants it. What a server said stays
// text there: it mentions nobody and formats nothing.
func body(format string, p Post) ([]byte, error) {
	switch text := p.Text.String(); format {
	case JSON:
		return json.Marshal(p)
	case Slack:
		return json.Marshal(map[string]any{"text": escape(text, slackRune), "mrkdwn": false, "link_names": false, "unfurl_links": false})
	case Discord:
		nobody := map[string]any{"parse": []string{}}
		return json.Marshal(map[string]any{"content": escape(text, discordRune), "allowed_mentions": nobody})
	case Connectome:
		return json.Marshal(map[string]any{"content": escape(text, plainRune)})
	}
	return nil, fmt.Errorf("alerts.format is none of %s", strings.Join(slices.Clone(Formats()), ", "))
}

// breakMention follows an @, so that no receiver takes what comes after it for a
// name: a zero-width space.
const breakMention = "@\u200b"

// slackRune: & < and > are Slack's own signs, for mentions, links and channels.
func slackRune(r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	}
	return plainRune(r)
}

// discordRune escapes what Discord's markdown gives a meaning.
func discordRune(r rune) string {
	if strings.ContainsRune("\\*_~`|<>[]()#:", r) {
		return `\` + string(r)
	}
	return plainRune(r)
}

func plainRune(r rune) string {
	if r == '@' {
		return breakMention
	}
	return string(r)
}

// escape writes each character of a text, and keeps to maxText characters.
func escape(text string, write func(rune) string) string {
	var b strings.Builder
	end, size := 0, 0 // end: where the text is cut if it turns out too long
	for _, r := range text {
		s := write(r)
		n := utf8.RuneCountInString(s)
		if size+n > maxText {
			return b.String()[:end] + "…"
		}
		b.WriteString(s)
		if size += n; size < maxText {
			end = b.Len()
		}
	}
	return b.String()
}
