package redact

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestR1_PatternsAreFoundWhateverTheirSource(t *testing.T) {
	const (
		word = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hI7jK9lM1nO3"
		jwt  = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	)
	for _, c := range []struct{ text, clean string }{
		{"Bearer abc123", "Bearer ‹bearer token›"},
		{"bearer: 'aBcDeF.g~h+/='", "bearer: '‹bearer token›'"},
		{"sent Authorization: Basic dXNlcjpwYXNz, got 401", "sent Authorization: Basic ‹authorization›, got 401"},
		{`{"authorization":"aBcD1234"}`, `{"authorization":"‹authorization›"}`},
		{`{\"Authorization\":\"token aBcD1234\"}`, `{\"Authorization\":\"token ‹authorization›\"}`},
		{`['Authorization', 'ApiKey xyz_123']`, `['Authorization', 'ApiKey ‹authorization›']`},
		{`Proxy-Authorization: Digest username="u", response="6629fae4"`, "Proxy-Authorization: Digest ‹authorization›"},
		{"Authorization: AWS4-HMAC-SHA256 Credential=AK/20, Signature=fe5f80", "Authorization: AWS4-HMAC-SHA256 ‹authorization›"},
		{"postgres://app:s3cr3t@db:5432/app", "postgres://‹user:password›@db:5432/app"},
		{"https://x:pä@ss@host/", "https://‹user:password›@host/"},
		{"https%3A%2F%2Fu%3Apw%40host", "https%3A%2F%2F‹user:password›%40host"},
		{"key ghp_" + word[:36], "key ‹GitHub token›"},
		{"key=github_pat_11" + word, "key=‹GitHub token›"},
		{"glpat-aB3dE5gH7jK9mN1pQ3sT", "‹GitLab token›"},
		{"(AKIAIOSFODNN7EXAMPLE)", "(‹AWS key id›)"},
		{"?key=AIzaSyA1234567890abcdefghijklmnopqrstu&x", "?key=‹Google API key›&x"},
		{"sk-proj-" + word, "‹API key›"},
		{"sk-ant-api03-" + word, "‹API key›"},
		{"Incorrect API key: sk-abcd1234567890efghijkl.", "Incorrect API key: ‹API key›."},
		{"xoxb-123456789012-abcdefGHIJ", "‹Slack token›"},
		{"//registry/:_authToken=npm_" + word[:36], "//registry/:_authToken=‹npm token›"},
		{"hf_" + word[:34], "‹Hugging Face token›"},
		{"cookie " + jwt + ";", "cookie ‹JWT›;"},
		{`line\nghp_` + word[:36], `line\n‹GitHub token›`}, // n is no letter before it
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIEpQ\n-----END RSA PRIVATE KEY-----\nafter", "‹private key› after"},
		{`"k":"-----BEGIN PRIVATE KEY-----\nMIIEpQ\n-----END PRIVATE KEY-----\n"`, `"k":"‹private key›\n"`},
		{"x -----BEGIN OPENSSH PRIVATE KEY----- " + word, "x ‹private key›"}, // cut
	} {
		want(t, nil, c.text, c.clean)
		want(t, of("OTHER", "something-else"), c.text, c.clean)
	}
}

func TestR1_WhatOnlyLooksLikeASecretIsLeft(t *testing.T) {
	image := make([]byte, 3000)
	_, _ = rand.Read(image)
	for _, text := range []string{
		fmt.Sprintf("commit %x", sha1.Sum(nil)),
		"id 123e4567-e89b-12d3-a456-426614174000",
		"integrity sha512-" + base64.StdEncoding.EncodeToString(image[:64]),
		"data:image/png;base64," + base64.StdEncoding.EncodeToString(image),
		"Bearer token is missing", "Bearer authentication required", "the bearer of this", `Bearer realm="mcp", error="invalid_token"`,
		"authorization: required", "Authorization failed with code 401", "authorization: none of it worked",
		"https://host:8443/path?a=b@c", "ssh://git@github.com/x/y.git", "http://[::1]:8080/x@y", "see https://example.com.",
		"task-runner risk-aversion-of-a-long-name", "sk-learn-pipeline-component-tests", "npm_config_registry=https://r",
		"hf_hub_download", "disk-0a1b2c3d4e5f6a7b8c9d0e1f", "expected -----BEGIN PRIVATE KEY----- in it", "-----BEGIN CERTIFICATE----- MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq",
		"eyJ is how a token begins", "at Object.<anonymous> (C:\\new\\test.js:1:1)", "100% of 50%25",
	} {
		want(t, nil, text, text)
	}
}

func TestR1_AConfiguredNameIsBetterThanAPatterns(t *testing.T) {
	r := of("GITHUB_TOKEN", "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
	want(t, r, "Bearer ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5", "Bearer ‹GITHUB_TOKEN›")
	want(t, r, "https://u:ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5@host", "https://‹GITHUB_TOKEN›@host")
}

// A server that prints what patterns begin with, over and over, costs no more
// than some passes over the text.
func TestR1_NoTextTakesQuadraticTime(t *testing.T) {
	const size = 1 << 20
	r := of("A", strings.Repeat("a", 1000)+"b", "B", "begin-"+strings.Repeat("x", 100))
	for _, piece := range []string{"eyJ-", "sk-", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "://a:", "Bearer ", "Authorization: ", `authorization="`,
		"begin-", "%25", `\u0041`, `\\\\`, "‹", "x\r", "x\n", "ghp_aB3dE5gH7jK9mN1pQ3sT5v "} {
		text := strings.Repeat(piece, size/len(piece))
		start := time.Now()
		r.Text(text)
		split(r, text+"\n")
		if took := time.Since(start); took > 10*time.Second { // some 0.1 s; quadratic time is minutes
			t.Errorf("%q took %v", piece, took)
		}
	}
}
