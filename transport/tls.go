package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"time"

	"rollcall/model"
	"rollcall/redact"
)

// maxCertNames is how many of a certificate's names a report repeats.
const maxCertNames = 5

// tlsText says what is wrong with a TLS connection to spec's url, and what to do
// about it (D7); false where err is something else.
func tlsText(err error, spec *model.Spec) (redact.Safe, bool) {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
		record  tls.RecordHeaderError
	)
	red := spec.Redactor
	switch {
	case errors.As(err, &unknown):
		return unknownAuthority(unknown.Cert, red), true
	case errors.As(err, &host):
		return redact.Sprintf("certificate not for %s but for %s: check the url, or have it issued anew", short(red, host.Host), certNames(host.Certificate, red)), true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		return outOfTime(invalid.Cert, time.Now()), true
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		if spec.Transport == model.WebSocket {
			return redact.Word("the port speaks no TLS: is the url ws://, or another port?"), true
		}
		return redact.Word("the port speaks no TLS: is the url http://, or another port?"), true
	}
	return redact.Safe{}, false
}

// unknownAuthority is for a certificate whose issuer this host does not trust.
func unknownAuthority(cert *x509.Certificate, red *redact.Redactor) redact.Safe {
	issuer := redact.Word("which is not named")
	if cert != nil && cert.Issuer.String() != "" {
		issuer = short(red, cert.Issuer.String())
	}
	return redact.Sprintf("certificate of an authority that this host does not know (%s): "+
		"add its CA to the system's store, or start rollcall with SSL_CERT_FILE=FILE", issuer)
}

// certNames are the hosts that a certificate is for.
func certNames(cert *x509.Certificate, red *redact.Redactor) redact.Safe {
	var names []string
	if cert != nil {
		names = append(names, cert.DNSNames...)
		for _, ip := range cert.IPAddresses {
			names = append(names, ip.String())
		}
	}
	if len(names) == 0 {
		return redact.Word("no host at all")
	}
	shown := short(red, strings.Join(names[:min(len(names), maxCertNames)], ", "))
	if more := len(names) - maxCertNames; more > 0 {
		return redact.Sprintf("%s and %d more", shown, redact.Int(more))
	}
	return shown
}

// outOfTime is for a certificate that is not valid now.
func outOfTime(cert *x509.Certificate, now time.Time) redact.Safe {
	at := func(t time.Time) redact.Safe {
		return (*redact.Redactor)(nil).Text(t.UTC().Format("2006-01-02 15:04 UTC"))
	}
	if now.Before(cert.NotBefore) {
		return redact.Sprintf("certificate not valid before %s: check the clock of this host", at(cert.NotBefore))
	}
	return redact.Sprintf("certificate expired at %s: have it renewed", at(cert.NotAfter))
}
