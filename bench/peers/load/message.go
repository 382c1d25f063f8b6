package main

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers that both variants share (envoy/service/discovery/v3/discovery.proto).
const (
	versionField   = 1
	resourcesField = 2
	typeField      = 4
	nonceField     = 5
)

// response is what a client must know of a discovery response to answer it.
type response struct {
	version, typeURL, nonce string
	resources, bytes        int
}

// responseReader reads responses as their bytes come, and keeps nothing of the resources: the client must not be what is measured.
type responseReader struct {
	prefix  [5]byte
	have    int
	left    uint32
	head    []byte
	skip    int
	want    int
	text    []byte
	field   protowire.Number
	current response
}

// feed takes bytes of the stream and calls done for each message that ends in them.
func (r *responseReader) feed(bytes []byte, done func(response)) {
	for len(bytes) > 0 {
		if r.have < len(r.prefix) {
			taken := copy(r.prefix[r.have:], bytes)
			r.have += taken
			bytes = bytes[taken:]
			if r.have < len(r.prefix) {
				return
			}
			r.left = binary.BigEndian.Uint32(r.prefix[1:])
			r.current = response{bytes: int(r.left)}
		}
		taken := min(int(r.left), len(bytes))
		r.fields(bytes[:taken])
		r.left -= uint32(taken)
		bytes = bytes[taken:]
		if r.left == 0 {
			r.have = 0
			done(r.current)
		}
	}
}

func (r *responseReader) fields(bytes []byte) {
	for len(bytes) > 0 {
		switch {
		case r.skip > 0:
			taken := min(r.skip, len(bytes))
			r.skip -= taken
			bytes = bytes[taken:]
		case r.want > 0:
			taken := min(r.want, len(bytes))
			r.text = append(r.text, bytes[:taken]...)
			r.want -= taken
			bytes = bytes[taken:]
			if r.want == 0 {
				r.keep()
			}
		default:
			r.head = append(r.head, bytes[0])
			bytes = bytes[1:]
			r.begin()
		}
	}
}

// begin looks whether the tag and the length of a field are there; all fields up to the nonce have a length.
func (r *responseReader) begin() {
	number, kind, tagged := protowire.ConsumeTag(r.head)
	if tagged < 0 {
		return
	}
	length, measured := protowire.ConsumeVarint(r.head[tagged:])
	if measured < 0 {
		return
	}
	r.head = r.head[:0]
	if kind == protowire.VarintType {
		return
	}
	r.field = number
	switch number {
	case versionField, typeField, nonceField:
		r.want = int(length)
	case resourcesField:
		r.current.resources++
		r.skip = int(length)
	default:
		r.skip = int(length)
	}
}

func (r *responseReader) keep() {
	switch r.field {
	case versionField:
		r.current.version = string(r.text)
	case typeField:
		r.current.typeURL = string(r.text)
	case nonceField:
		r.current.nonce = string(r.text)
	}
	r.text = r.text[:0]
}

func text(message []byte, field protowire.Number, value string) []byte {
	if value == "" {
		return message
	}
	return protowire.AppendString(protowire.AppendTag(message, field, protowire.BytesType), value)
}

func framed(message []byte) []byte {
	prefix := make([]byte, 5, 5+len(message))
	binary.BigEndian.PutUint32(prefix[1:], uint32(len(message)))
	return append(prefix, message...)
}
