package checkup

import (
	"errors"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Doubt returns what a login at url leaves unchecked about the server: a sentence, or "" for
// sslmode=verify-full and for a server on this machine. PGSSLROOTCERT counts, as for pgx.
func Doubt(url string) (string, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil { // its text contains the URL
		return "", errors.New("invalid URL of the database, or unreadable certificates")
	}
	ip := net.ParseIP(config.Host)
	switch encrypted := config.TLSConfig; {
	case strings.HasPrefix(config.Host, "/") || config.Host == "localhost" || ip != nil && ip.IsLoopback():
		return "", nil
	case encrypted == nil:
		return "the connection is not encrypted", nil
	case len(config.Fallbacks) > 0 && config.Fallbacks[len(config.Fallbacks)-1].TLSConfig == nil:
		return "the connection is not encrypted if the server refuses", nil
	case encrypted.InsecureSkipVerify && encrypted.VerifyPeerCertificate == nil:
		return "anybody may answer as the server", nil
	case encrypted.InsecureSkipVerify:
		return "any server with a certificate of the same authority may answer", nil
	}
	return "", nil
}
