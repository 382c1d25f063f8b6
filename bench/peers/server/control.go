package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// obey carries out what is said on the control port, a line each, and answers each with a line.
func obey(listener net.Listener, served *content) error {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(connection)
		for lines.Scan() {
			answer, err := perform(lines.Text(), served)
			if err != nil {
				answer = "error: " + err.Error()
			}
			fmt.Fprintln(connection, answer)
		}
		connection.Close()
	}
}

func perform(line string, served *content) (string, error) {
	var verb, kind string
	var count, size, round int
	fmt.Sscan(line, &verb, &kind, &count, &size, &round)
	switch verb {
	case "prepare":
		return "ok", served.prepare(kind, count, size, round)
	case "prepare-change":
		return "ok", served.prepareChange(kind, count, size, round)
	case "publish":
		return "ok", served.publish()
	case "usage":
		return usage()
	}
	return "", fmt.Errorf("what is %q", line)
}

// usage tells memory and CPU time, as the kernel counts them.
func usage() (string, error) {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return "", err
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "", err
	}
	answer, err := json.Marshal(map[string]float64{
		"rssKiB":  field(string(status), "VmRSS:"),
		"peakKiB": field(string(status), "VmHWM:"),
		"cpuUs":   float64(used.Utime.Nano()+used.Stime.Nano()) / 1000,
	})
	return string(answer), err
}

func field(status, name string) float64 {
	var value float64
	if _, after, found := strings.Cut(status, name); found {
		fmt.Sscan(after, &value)
	}
	return value
}

// newCertificate makes one that nobody vouches for, of the kind that fake-istiod shows.
func newCertificate() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "bench"},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(24 * time.Hour),
		DNSNames:     []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
