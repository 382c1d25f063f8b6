// Package fakeistiod starts a fake istiod and Envoys in containers, and moves the istiod over its control API.
package fakeistiod

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Control is a client of the control API: the few operations that these tests need. GET /openapi.json has all.
type Control struct {
	URL   string
	Token string
}

// Error is what the control API says when something is wrong, or is not as awaited.
type Error struct {
	Status int    `json:"status"`
	Code   string `json:"code"`   // one of the error codes of fake-istiod, such as push.nacked
	Detail string `json:"detail"` // sentences, with the last events where something was awaited
}

func (e *Error) Error() string { return e.Code + ": " + e.Detail }

// Fields are an object of JSON: a resource in Envoy's JSON form, or the pattern of an event.
type Fields = map[string]any

// Withhold lets a type, such as CDS, be unanswered until it is released.
func (c *Control) Withhold(ctx context.Context, resourceType string) error {
	_, err := c.call(ctx, http.MethodPost, "/withhold", resourceType)
	return err
}

// Release answers what was withheld, with what is served now.
func (c *Control) Release(ctx context.Context, resourceType string) error {
	_, err := c.call(ctx, http.MethodPost, "/release", resourceType)
	return err
}

// Set serves resources beside all others: Fields{"clusters": []Fields{…}}. It returns the version of the push.
func (c *Control) Set(ctx context.Context, resources Fields) (version string, err error) {
	body, err := c.call(ctx, http.MethodPatch, "/snapshot", Fields{"set": resources})
	if err != nil {
		return "", err
	}
	var push struct{ Version string }
	return push.Version, json.Unmarshal(body, &push)
}

// AwaitAck waits until every connected Envoy has accepted a push. The Error is push.nacked with Envoy's own words, or
// wait.timed-out with what is missing.
func (c *Control) AwaitAck(ctx context.Context, version, timeout string) error {
	_, err := c.call(ctx, http.MethodGet, "/wait/acked?"+url.Values{"version": {version}, "timeout": {timeout}}.Encode(), nil)
	return err
}

// AwaitEvent waits until something happens, or has happened: AwaitEvent(ctx, "response.withheld", Fields{"type": "CDS"}, "5s").
func (c *Control) AwaitEvent(ctx context.Context, name string, pattern Fields, timeout string) error {
	_, err := c.call(ctx, http.MethodPost, "/wait", Fields{name: pattern, "timeout": timeout})
	return err
}

// Bootstrap makes a bootstrap for an Envoy that reaches the istiod as host.
func (c *Control) Bootstrap(ctx context.Context, host string, adminPort int) ([]byte, error) {
	query := url.Values{"host": {host}, "port": {"15012"}, "admin_host": {"0.0.0.0"}, "admin_port": {fmt.Sprint(adminPort)}}
	return c.call(ctx, http.MethodGet, "/bootstrap?"+query.Encode(), nil)
}

func (c *Control) call(ctx context.Context, method, path string, body any) ([]byte, error) {
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, &sent)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode < 300 {
		return answer, err
	}
	problem := &Error{Status: response.StatusCode}
	if err := json.Unmarshal(answer, problem); err != nil {
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	return nil, problem
}
