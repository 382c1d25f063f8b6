//go:build tools

// Pins the version of pilot-agent and istioctl that the tests build; nothing here is compiled into fake-istiod.
package tools

import (
	_ "istio.io/istio/istioctl/cmd/istioctl"
	_ "istio.io/istio/pilot/cmd/pilot-agent"
)
