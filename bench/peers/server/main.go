// A go-control-plane server as its users would write it, told by lines on a control port what to serve.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"

	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

func main() {
	kind := flag.String("cache", "snapshot", "snapshot or linear")
	flag.Parse()
	if err := run(*kind); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kind string) error {
	content, err := newContent(kind)
	if err != nil {
		return err
	}
	certificate, err := newCertificate()
	if err != nil {
		return err
	}
	xds := server.NewServer(context.Background(), content.cache(), nil)
	plain, err := serve(xds)
	if err != nil {
		return err
	}
	secure, err := serve(xds, grpc.Creds(credentials.NewServerTLSFromCert(certificate)))
	if err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ports, err := json.Marshal(map[string]string{"plain": plain, "secure": secure, "control": control.Addr().String()})
	if err != nil {
		return err
	}
	fmt.Println(string(ports))
	return obey(control, content)
}

// serve listens on a free port of loopback and tells where.
func serve(xds discovery.AggregatedDiscoveryServiceServer, options ...grpc.ServerOption) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	options = append(options, grpc.MaxConcurrentStreams(1<<20), grpc.MaxRecvMsgSize(64<<20), grpc.MaxSendMsgSize(64<<20))
	listening := grpc.NewServer(options...)
	discovery.RegisterAggregatedDiscoveryServiceServer(listening, xds)
	go func() {
		if err := listening.Serve(listener); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}()
	return listener.Addr().String(), nil
}
