package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

const typePrefix = "type.googleapis.com/envoy.config."

var typeURLs = map[string]string{
	"clusters":  typePrefix + "cluster.v3.Cluster",
	"endpoints": typePrefix + "endpoint.v3.ClusterLoadAssignment",
}

// A round in which nothing comes for so long has failed.
const patience = 3 * time.Minute

// quiet is how long the server has to settle: acknowledgements are on their way, and some are worked off later.
const quiet = 100 * time.Millisecond

// crowd is all clients, and the line to the server's control port.
type crowd struct {
	work     *work
	control  net.Conn
	answers  *bufio.Reader
	arrivals chan arrival
	clients  []*client
	asked    []string
	round    int
}

// usage is what the server says of itself.
type usage struct {
	RSS  float64 `json:"rssKiB"`
	Peak float64 `json:"peakKiB"`
	CPU  float64 `json:"cpuUs"`
}

func newCrowd(work *work) (*crowd, error) {
	control, err := net.Dial("tcp", work.Control)
	if err != nil {
		return nil, err
	}
	// Room for all, so that a client never waits to be heard.
	return &crowd{work: work, control: control, answers: bufio.NewReader(control), arrivals: make(chan arrival, 4*work.Streams+16)}, nil
}

// tell says a line to the server and waits for its answer.
func (c *crowd) tell(format string, values ...any) (string, error) {
	if _, err := fmt.Fprintf(c.control, format+"\n", values...); err != nil {
		return "", err
	}
	answer, err := c.answers.ReadString('\n')
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(answer, "error") {
		return "", fmt.Errorf("the server says: %s", answer)
	}
	return answer, nil
}

func (c *crowd) usage() (usage, error) {
	var used usage
	answer, err := c.tell("usage")
	if err != nil {
		return used, err
	}
	return used, json.Unmarshal([]byte(answer), &used)
}

// prepare has the server make what the next publish serves.
func (c *crowd) prepare(resources int) error {
	c.round++
	_, err := c.tell("prepare %s %d %d %d", c.work.Type, resources, c.work.Bytes, c.round)
	return err
}

func (c *crowd) prepareNext() error {
	if !c.work.Single {
		return c.prepare(c.work.Resources)
	}
	c.round++
	_, err := c.tell("prepare-change %s %d %d %d", c.work.Type, c.round*7919%c.work.Resources, c.work.Bytes, c.round)
	return err
}

// publish has the server serve what was prepared, and tells when that was said.
func (c *crowd) publish() (time.Time, error) {
	began := time.Now()
	_, err := c.tell("publish")
	return began, err
}

// connectAll opens all streams at once and tells how long each waited for its first response.
func (c *crowd) connectAll() ([]time.Duration, error) {
	requests := make([][]byte, c.work.Streams)
	for i := range requests {
		node, err := nodeOf(i)
		if err != nil {
			return nil, err
		}
		if requests[i], err = firstRequest(c.work.Variant, typeURLs[c.work.Type], node, c.asked); err != nil {
			return nil, err
		}
	}
	c.clients = make([]*client, c.work.Streams)
	failures := make(chan error, c.work.Streams)
	var opening sync.WaitGroup
	for i := range c.clients {
		opening.Add(1)
		go func() {
			defer opening.Done()
			opened, err := connect(i, c.work, requests[i], c.arrivals)
			if err != nil {
				failures <- err
				return
			}
			c.clients[i] = opened
		}()
	}
	opening.Wait()
	select {
	case err := <-failures:
		return nil, err
	default:
	}
	came, err := c.hear(c.work.Streams)
	if err != nil {
		return nil, err
	}
	waited := make([]time.Duration, len(came))
	for i, one := range came {
		waited[i] = one.at.Sub(c.clients[one.client].began)
	}
	return waited, nil
}

// hear waits for one response for each of so many clients, and accepts them all.
func (c *crowd) hear(count int) ([]arrival, error) {
	came := make([]arrival, 0, count)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for len(came) < count {
		select {
		case one := <-c.arrivals:
			if one.failure != nil {
				return nil, fmt.Errorf("after %d of %d responses stream %d failed: %w", len(came), count, one.client, one.failure)
			}
			came = append(came, one)
			if err := c.clients[one.client].send(acknowledgement(c.work.Variant, one.response, c.asked)); err != nil {
				return nil, err
			}
		case <-timer.C:
			return nil, fmt.Errorf("%d of %d responses came within %s", len(came), count, patience)
		}
	}
	return came, nil
}
