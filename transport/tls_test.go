package transport

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rollcall/model"
)

// certified is a TLS server with a certificate of its own making.
func certified(t *testing.T, change func(*x509.Certificate)) (address string, cert *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	want := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Acme"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	change(want)
	der, err := x509.CreateCertificate(rand.Reader, want, want, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // it would say that the client hung up
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "https://"), cert
}

func TestD7_WhatIsWrongWithTLSIsSaid(t *testing.T) {
	t.Parallel()
	at := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	then := at.UTC().Format("2006-01-02 15:04 UTC")
	soon := time.Now().Add(48 * time.Hour).Truncate(time.Second)
	for _, c := range []struct {
		name    string
		trusted bool
		change  func(*x509.Certificate)
		want    string
	}{
		{"unknown", false, func(*x509.Certificate) {},
			"certificate of an authority that this host does not know (CN=Acme): add its CA to the system's store, or start rollcall with SSL_CERT_FILE=FILE"},
		{"no name", false, func(c *x509.Certificate) { c.Subject = pkix.Name{} },
			"certificate of an authority that this host does not know (which is not named): add its CA to the system's store, or start rollcall with SSL_CERT_FILE=FILE"},
		{"another host", true, func(c *x509.Certificate) {
			c.IPAddresses, c.DNSNames = []net.IP{net.IPv4(127, 9, 9, 9)}, []string{"a.example", "b.example"}
		}, "certificate not for 127.0.0.1 but for a.example, b.example, 127.9.9.9: check the url, or have it issued anew"},
		{"many hosts", true, func(c *x509.Certificate) {
			c.IPAddresses = nil
			for i := range maxCertNames + 2 {
				c.DNSNames = append(c.DNSNames, fmt.Sprintf("n%d.example", i))
			}
		}, "certificate not for 127.0.0.1 but for n0.example, n1.example, n2.example, n3.example, n4.example and 2 more: check the url, or have it issued anew"},
		{"no host", true, func(c *x509.Certificate) { c.IPAddresses = nil },
			"certificate not for 127.0.0.1 but for no host at all: check the url, or have it issued anew"},
		{"expired", true, func(c *x509.Certificate) { c.NotBefore, c.NotAfter = at.Add(-time.Hour), at },
			"certificate expired at " + then + ": have it renewed"},
		{"early", true, func(c *x509.Certificate) { c.NotBefore, c.NotAfter = soon, soon.Add(time.Hour) },
			"certificate not valid before " + soon.UTC().Format("2006-01-02 15:04 UTC") + ": check the clock of this host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			address, cert := certified(t, c.change)
			roots := x509.NewCertPool()
			if c.trusted {
				roots.AddCert(cert)
			}
			h.web.TLSClientConfig = &tls.Config{RootCAs: roots}
			overTLS(t, h, address, func(model.Transport) string { return c.want })
		})
	}
}

// overTLS dials an address both ways and wants an end's text.
func overTLS(t *testing.T, h *Host, address string, want func(model.Transport) string) {
	t.Helper()
	for scheme, via := range map[string]model.Transport{"wss": model.WebSocket, "https": model.HTTP} {
		end := await[model.Closed](start(t, h, urlSpec(via, scheme+"://"+address+"/mcp?sesame=1"))).End
		if end.Cause != model.TransportBroken || end.Text.String() != want(via) {
			t.Errorf("%s: %v: %s\nwant %s", scheme, end.Cause, end.Text, want(via))
		}
	}
}

// TestD7_APortWithoutTLSIsSaid: a web server, and one that is none.
func TestD7_APortWithoutTLSIsSaid(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	want := func(via model.Transport) string {
		scheme := map[model.Transport]string{model.WebSocket: "ws", model.HTTP: "http"}[via]
		return "the port speaks no TLS: is the url " + scheme + "://, or another port?"
	}
	overTLS(t, h, strings.TrimPrefix(webServer(t, func(http.ResponseWriter, *http.Request, string) bool { return false }).URL, "http://"), want)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
			_, _ = io.Copy(io.Discard, c)
			_ = c.Close()
		}
	}()
	overTLS(t, h, l.Addr().String(), want)
}
