package main

import (
	"fmt"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// nodeOf is a sidecar as Istio names it, with some of the metadata that one brings.
func nodeOf(number int) (*core.Node, error) {
	pod := fmt.Sprintf("shop-%05d", number)
	address := fmt.Sprintf("10.%d.%d.%d", number>>16&255, number>>8&255, number&255)
	metadata, err := structpb.NewStruct(map[string]any{
		"CLUSTER_ID": "Kubernetes", "NAMESPACE": "default", "NAME": pod, "INSTANCE_IPS": address, "ISTIO_VERSION": "1.27.0",
		"MESH_ID": "cluster.local", "SERVICE_ACCOUNT": "shop", "WORKLOAD_NAME": "shop", "PROXY_CONFIG": map[string]any{"concurrency": 2},
		"LABELS": map[string]any{"app": "shop", "version": "v1", "security.istio.io/tlsMode": "istio"},
		"OWNER":  "kubernetes://apis/apps/v1/namespaces/default/deployments/shop",
	})
	return &core.Node{
		Id: fmt.Sprintf("sidecar~%s~%s.default~default.svc.cluster.local", address, pod), Cluster: "shop.default", Metadata: metadata,
	}, err
}

// firstRequest asks for names, or for all there is.
func firstRequest(variant, typeURL string, node *core.Node, names []string) ([]byte, error) {
	if variant == "delta" {
		return proto.Marshal(&discovery.DeltaDiscoveryRequest{Node: node, TypeUrl: typeURL, ResourceNamesSubscribe: names})
	}
	return proto.Marshal(&discovery.DiscoveryRequest{Node: node, TypeUrl: typeURL, ResourceNames: names})
}

// acknowledgement accepts a response; SotW names again what is wanted.
func acknowledgement(variant string, accepted response, names []string) []byte {
	if variant == "delta" {
		return text(text(nil, 2, accepted.typeURL), 6, accepted.nonce)
	}
	message := text(nil, 1, accepted.version)
	for _, name := range names {
		message = text(message, 3, name)
	}
	return text(text(message, 4, accepted.typeURL), 5, accepted.nonce)
}
