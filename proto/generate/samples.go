package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// sample is one message as Go's protobuf sees it, in bytes and in both styles of JSON.
type sample struct {
	Type  string          `json:"type"`
	Hex   string          `json:"hex"`
	JSON  json.RawMessage `json:"json"`
	Proto json.RawMessage `json:"proto"`
}

// writeSamples writes every message of the set, empty inside and two levels deep, a line each. Go's implementation is the
// reference that the tests hold ours against.
func writeSamples(path string) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	encoder := json.NewEncoder(w)
	protoregistry.GlobalTypes.RangeMessages(func(t protoreflect.MessageType) bool {
		if strings.HasPrefix(string(t.Descriptor().ParentFile().Path()), "google/protobuf/descriptor") {
			return true
		}
		for _, depth := range []int{0, 2} {
			message := t.New()
			fill(message, depth)
			if err = encoder.Encode(sampleOf(message.Interface())); err != nil {
				return false
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

func sampleOf(m proto.Message) sample {
	bytes, err := proto.Marshal(m)
	must(err)
	camel, err := protojson.Marshal(m)
	must(err)
	snake, err := protojson.MarshalOptions{UseProtoNames: true, UseEnumNumbers: true}.Marshal(m)
	must(err)
	return sample{string(m.ProtoReflect().Descriptor().FullName()), hex.EncodeToString(bytes), camel, snake}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// fill sets every field, one of each oneof.
func fill(m protoreflect.Message, depth int) {
	if fillWellKnown(m.Interface()) {
		return
	}
	taken := map[protoreflect.Name]bool{}
	for i := range m.Descriptor().Fields().Len() {
		field := m.Descriptor().Fields().Get(i)
		if depth <= 0 && field.Message() != nil && !field.IsMap() {
			continue
		}
		if group := field.ContainingOneof(); group != nil {
			if taken[group.Name()] {
				continue
			}
			taken[group.Name()] = true
		}
		fillField(m, field, depth)
	}
}

func fillField(m protoreflect.Message, field protoreflect.FieldDescriptor, depth int) {
	switch {
	case field.IsMap():
		if depth <= 0 && field.MapValue().Message() != nil {
			return
		}
		entries := m.Mutable(field).Map()
		key := value(field.MapKey(), nil, 0).MapKey()
		entries.Set(key, value(field.MapValue(), entries.NewValue, depth))
	case field.IsList():
		list := m.Mutable(field).List()
		list.Append(value(field, list.NewElement, depth))
	default:
		m.Set(field, value(field, func() protoreflect.Value { return m.NewField(field) }, depth))
	}
}

func value(field protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("s\u00e9\u2603")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{0, 255, 62, 63})
	case protoreflect.EnumKind:
		values := field.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(values.Len() - 1).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(-2147483648)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(-9007199254740993)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(4294967295)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(18446744073709551615)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(1.5)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(0.1)
	default:
		message := empty()
		fill(message.Message(), depth-1)
		return message
	}
}

// fillWellKnown sets the messages that have a JSON form of their own.
func fillWellKnown(m proto.Message) bool {
	switch known := m.(type) {
	case *anypb.Any:
		must(known.MarshalFrom(durationpb.New(1500000000)))
	case *durationpb.Duration:
		known.Seconds, known.Nanos = -3, -5000000
	case *timestamppb.Timestamp:
		known.Seconds, known.Nanos = 1700000000, 120
	case *fieldmaskpb.FieldMask:
		known.Paths = []string{"foo_bar", "a.b_c"}
	case *structpb.Struct:
		plain, err := structpb.NewStruct(map[string]any{"a": 1.5, "b": []any{"x", nil, true}, "c": map[string]any{}})
		must(err)
		proto.Merge(known, plain)
	case *structpb.Value:
		plain, err := structpb.NewValue(map[string]any{"k": []any{1.0}})
		must(err)
		proto.Merge(known, plain)
	case *structpb.ListValue:
		plain, err := structpb.NewList([]any{"q", 2.0})
		must(err)
		proto.Merge(known, plain)
	default:
		return false
	}
	return true
}
