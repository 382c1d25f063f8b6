// Many xDS clients at once, which accept all they are sent and take the time. What to do comes as JSON, what was seen goes out as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// work is what the clients do.
type work struct {
	// push: rounds of prepare and publish; names: new streams that each ask for all names; hold: memory of streams that wait.
	Kind    string `json:"kind"`
	Target  string `json:"target"`
	Control string `json:"control"`
	TLS     bool   `json:"tls"`
	Variant string `json:"variant"`
	Streams int    `json:"streams"`
	// clusters or endpoints
	Type      string `json:"type"`
	Resources int    `json:"resources"`
	Bytes     int    `json:"bytes"`
	// Only one resource changes in each push.
	Single bool `json:"single"`
	Rounds int  `json:"rounds"`
	// Of what hold publishes when all are connected.
	PushResources int `json:"pushResources"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var wanted work
	if err := json.Unmarshal([]byte(os.Args[1]), &wanted); err != nil {
		return err
	}
	crowd, err := newCrowd(&wanted)
	if err != nil {
		return err
	}
	var seen any
	switch wanted.Kind {
	case "push":
		seen, err = crowd.push()
	case "names":
		seen, err = crowd.names()
	case "hold":
		seen, err = crowd.hold()
	default:
		err = fmt.Errorf("there is no work %q", wanted.Kind)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(seen)
}
