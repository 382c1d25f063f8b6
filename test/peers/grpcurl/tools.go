//go:build tools

// Pins the version of grpcurl that the tests build; nothing here is compiled into fake-istiod.
package tools

import _ "github.com/fullstorydev/grpcurl/cmd/grpcurl"
