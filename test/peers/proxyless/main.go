// Calls a service by its name in the mesh, as an application does that speaks gRPC without a proxy: it asks istiod itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/xds"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func main() {
	target := flag.String("target", "", "whom to call, as xds:///host:port")
	method := flag.String("method", "", "the method, as /package.Service/Method: Empty in, StringValue out")
	until := flag.String("until", "", "the answer after which to stop")
	within := flag.Duration("within", 30*time.Second, "when to give up")
	flag.Parse()
	if err := call(*target, *method, *until, *within); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func call(target, method, until string, within time.Duration) error {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for {
		answer := &wrapperspb.StringValue{}
		if err := connection.Invoke(ctx, method, &emptypb.Empty{}, answer, grpc.WaitForReady(true)); err != nil {
			return err
		}
		fmt.Println("answered by", answer.Value)
		if answer.Value == until {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
}
