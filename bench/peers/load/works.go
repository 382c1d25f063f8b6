package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// pushed is what rounds of pushes were like.
type pushed struct {
	// Each round's streams, by the time until the last had its response.
	PushesPerSecond []float64 `json:"pushesPerSecond"`
	// Of all responses of all rounds, from publish to the last byte.
	P50 float64 `json:"p50Ms"`
	P99 float64 `json:"p99Ms"`
	// The server's, per push, acknowledgement included.
	CPUUs float64 `json:"cpuUs"`
	// From connect to the first response, all at once.
	FirstP50     float64 `json:"firstP50Ms"`
	FirstP99     float64 `json:"firstP99Ms"`
	MessageBytes int     `json:"messageBytes"`
	Resources    int     `json:"resources"`
}

// warmUps is how many rounds are for nothing: a server that has just started compiles (Node), and grows its heap (both).
const warmUps = 10

func (c *crowd) push() (*pushed, error) {
	first, err := c.begin()
	if err != nil {
		return nil, err
	}
	seen := &pushed{FirstP50: quantile(first, 0.5), FirstP99: quantile(first, 0.99)}
	var all []time.Duration
	for round := -warmUps; round < c.work.Rounds; round++ {
		waits, used, err := c.onePush(c.prepareNext, seen)
		if err != nil {
			return nil, err
		}
		if round < 0 {
			continue
		}
		all = append(all, waits...)
		seen.CPUUs += used / float64(c.work.Streams*c.work.Rounds)
		seen.PushesPerSecond = append(seen.PushesPerSecond, float64(c.work.Streams)/slices.Max(waits).Seconds())
	}
	seen.P50, seen.P99 = quantile(all, 0.5), quantile(all, 0.99)
	return seen, nil
}

// begin serves what there is at first, and connects.
func (c *crowd) begin() ([]time.Duration, error) {
	if err := c.prepare(c.work.Resources); err != nil {
		return nil, err
	}
	if _, err := c.publish(); err != nil {
		return nil, err
	}
	time.Sleep(quiet)
	first, err := c.connectAll()
	time.Sleep(quiet)
	return first, err
}

func (c *crowd) onePush(prepare func() error, seen *pushed) ([]time.Duration, float64, error) {
	if err := prepare(); err != nil {
		return nil, 0, err
	}
	time.Sleep(quiet)
	before, err := c.usage()
	if err != nil {
		return nil, 0, err
	}
	began, err := c.publish()
	if err != nil {
		return nil, 0, err
	}
	came, err := c.hear(c.work.Streams)
	if err != nil {
		return nil, 0, err
	}
	time.Sleep(quiet)
	after, err := c.usage()
	if err != nil {
		return nil, 0, err
	}
	seen.MessageBytes, seen.Resources = came[0].response.bytes, came[0].response.resources
	waits := make([]time.Duration, len(came))
	for i, one := range came {
		waits[i] = one.at.Sub(began)
	}
	return waits, after.CPU - before.CPU, nil
}

// asked is how long an answer to a large subscription took.
type asked struct {
	P50          float64 `json:"p50Ms"`
	MessageBytes int     `json:"messageBytes"`
	Resources    int     `json:"resources"`
}

// names opens one stream after the other, each of which asks for every resource by its name.
func (c *crowd) names() (*asked, error) {
	if err := c.prepare(c.work.Resources); err != nil {
		return nil, err
	}
	if _, err := c.publish(); err != nil {
		return nil, err
	}
	for i := range c.work.Resources {
		c.asked = append(c.asked, fmt.Sprintf("outbound|80||service-%05d.default.svc.cluster.local", i))
	}
	c.work.Streams = 1
	var waits []time.Duration
	seen := &asked{}
	for round := -warmUps; round < c.work.Rounds; round++ {
		node, err := nodeOf(round + warmUps)
		if err != nil {
			return nil, err
		}
		request, err := firstRequest(c.work.Variant, typeURLs[c.work.Type], node, c.asked)
		if err != nil {
			return nil, err
		}
		opened, err := connect(0, c.work, request, c.arrivals)
		if err != nil {
			return nil, err
		}
		c.clients = []*client{opened}
		came, err := c.hear(1)
		if err != nil {
			return nil, err
		}
		if round >= 0 {
			waits = append(waits, came[0].at.Sub(opened.began))
		}
		seen.MessageBytes, seen.Resources = came[0].response.bytes, came[0].response.resources
		time.Sleep(quiet)
		opened.connection.Close()
	}
	seen.P50 = quantile(waits, 0.5)
	return seen, nil
}

// held is what streams cost that wait.
type held struct {
	IdleKiB   float64 `json:"idleKiB"`
	PushedKiB float64 `json:"pushedKiB"`
	// At its highest.
	PeakKiB float64 `json:"peakKiB"`
}

// hold opens many streams, lets them wait, and pushes once to all of them.
func (c *crowd) hold() (*held, error) {
	settle := 2 * time.Second
	if err := c.prepare(c.work.Resources); err != nil {
		return nil, err
	}
	if _, err := c.publish(); err != nil {
		return nil, err
	}
	time.Sleep(settle)
	empty, err := c.usage()
	if err != nil {
		return nil, err
	}
	if _, err := c.connectAll(); err != nil {
		return nil, err
	}
	time.Sleep(settle)
	idle, err := c.usage()
	if err != nil {
		return nil, err
	}
	if _, _, err := c.onePush(func() error { return c.prepare(c.work.PushResources) }, &pushed{}); err != nil {
		return nil, err
	}
	time.Sleep(settle)
	after, err := c.usage()
	if err != nil {
		return nil, err
	}
	streams := float64(c.work.Streams)
	return &held{(idle.RSS - empty.RSS) / streams, (after.RSS - empty.RSS) / streams, (after.Peak - empty.RSS) / streams}, nil
}

func quantile(values []time.Duration, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	place := int(math.Ceil(part*float64(len(sorted)))) - 1
	return float64(sorted[max(place, 0)].Microseconds()) / 1000
}
