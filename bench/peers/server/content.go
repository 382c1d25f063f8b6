package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"google.golang.org/protobuf/types/known/durationpb"
)

// oneForAll lets all nodes share one snapshot: the cheapest way to serve many of them the same.
type oneForAll struct{}

const everybody = "everybody"

func (oneForAll) ID(*core.Node) string { return everybody }

// content is what is served, and what will be next.
type content struct {
	snapshots cache.SnapshotCache
	linear    *cache.LinearCache
	typeURL   resource.Type
	served    []types.Resource
	next      []types.Resource
	version   int
}

func newContent(kind string) (*content, error) {
	switch kind {
	case "snapshot":
		return &content{snapshots: cache.NewSnapshotCache(false, oneForAll{}, nil)}, nil
	case "linear":
		return &content{linear: cache.NewLinearCache(resource.ClusterType)}, nil
	}
	return nil, fmt.Errorf("there is no cache %q: snapshot or linear", kind)
}

func (c *content) cache() cache.Cache {
	if c.linear != nil {
		return c.linear
	}
	return c.snapshots
}

// prepare makes what publish will serve: count resources of about size bytes each.
func (c *content) prepare(kind string, count, size, round int) error {
	c.next = make([]types.Resource, count)
	for i := range c.next {
		made, err := newResource(kind, i, size, round)
		if err != nil {
			return err
		}
		c.next[i] = made
	}
	c.typeURL = resource.ClusterType
	if kind == "endpoints" {
		c.typeURL = resource.EndpointType
	}
	return nil
}

// prepareChange makes what publish will serve: as it is, but for one resource.
func (c *content) prepareChange(kind string, index, size, round int) error {
	changed, err := newResource(kind, index, size, round)
	if err != nil {
		return err
	}
	c.next = append([]types.Resource(nil), c.served...)
	c.next[index] = changed
	return nil
}

func (c *content) publish() error {
	before := c.served
	c.served = c.next
	c.version++
	if c.linear != nil {
		return c.publishLinear(before)
	}
	snapshot, err := cache.NewSnapshot(fmt.Sprint(c.version), map[resource.Type][]types.Resource{c.typeURL: c.served})
	if err != nil {
		return err
	}
	return c.snapshots.SetSnapshot(context.Background(), everybody, snapshot)
}

func (c *content) publishLinear(before []types.Resource) error {
	update := map[string]types.Resource{}
	for i, made := range c.served {
		if i >= len(before) || before[i] != made {
			update[cache.GetResourceName(made)] = made
		}
	}
	return c.linear.UpdateResources(update, nil)
}

func newResource(kind string, index, size, round int) (types.Resource, error) {
	name := fmt.Sprintf("outbound|80||service-%05d.default.svc.cluster.local", index)
	switch kind {
	case "clusters":
		stat := fmt.Sprintf("%08d", round)
		if missing := size - len(name) - len(stat) - 16; missing > 0 {
			stat += strings.Repeat("x", missing)
		}
		return &cluster.Cluster{
			Name:                 name,
			AltStatName:          stat,
			ConnectTimeout:       durationpb.New(time.Second),
			ClusterDiscoveryType: &cluster.Cluster_Type{Type: cluster.Cluster_STATIC},
		}, nil
	case "endpoints":
		return &endpoint.ClusterLoadAssignment{
			ClusterName: name,
			Policy:      &endpoint.ClusterLoadAssignment_Policy{EndpointStaleAfter: durationpb.New(time.Duration(round+1) * time.Second)},
		}, nil
	}
	return nil, fmt.Errorf("there are no %q here: clusters or endpoints", kind)
}
