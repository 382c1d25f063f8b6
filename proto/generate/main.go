// Writes the descriptors of every protobuf file that the packages in imports.go register, as one blob:
//
//	uint32 (big endian): length of the index
//	index: JSON, see the type Index
//	the serialized google.protobuf.FileDescriptorProto messages, end to end, dependencies first
//
// The bytes depend on the versions in go.mod and on nothing else. With -samples it writes samples of all messages instead.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"log"
	"os"
	"sort"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// File is one .proto file. Offsets follow from the lengths; Imports are positions in Index.Files.
type File struct {
	Name     string   `json:"name"`
	Length   int      `json:"length"`
	Imports  []int    `json:"imports"`
	Messages []string `json:"messages,omitempty"`
	Enums    []string `json:"enums,omitempty"`
	Services []string `json:"services,omitempty"`
}

// Index says which file declares what.
type Index struct {
	Files []File `json:"files"`
}

type generator struct {
	index     Index
	positions map[string]int
	blob      []byte
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == "-samples" {
		if err := writeSamples(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) != 2 {
		log.Fatal("usage: generate [-samples] OUTPUT")
	}
	var files []protoreflect.FileDescriptor
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		files = append(files, file)
		return true
	})
	sort.Slice(files, func(i, j int) bool { return files[i].Path() < files[j].Path() })
	g := generator{positions: map[string]int{}}
	for _, file := range files {
		g.add(file)
	}
	if err := g.write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d files, %d bytes of descriptors", len(g.index.Files), len(g.blob))
}

func (g *generator) add(file protoreflect.FileDescriptor) int {
	if position, done := g.positions[file.Path()]; done {
		return position
	}
	imports := []int{}
	for i := range file.Imports().Len() {
		imported := file.Imports().Get(i).FileDescriptor
		if imported.IsPlaceholder() {
			log.Fatalf("%s imports %s, which no imported Go package holds", file.Path(), imported.Path())
		}
		imports = append(imports, g.add(imported))
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(protodesc.ToFileDescriptorProto(file))
	if err != nil {
		log.Fatal(err)
	}
	entry := File{Name: file.Path(), Length: len(bytes), Imports: imports, Enums: enumNames(file.Enums())}
	entry.addMessages(file.Messages())
	for i := range file.Services().Len() {
		entry.Services = append(entry.Services, string(file.Services().Get(i).FullName()))
	}
	g.blob = append(g.blob, bytes...)
	g.index.Files = append(g.index.Files, entry)
	g.positions[file.Path()] = len(g.index.Files) - 1
	return g.positions[file.Path()]
}

func (f *File) addMessages(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue
		}
		f.Messages = append(f.Messages, string(message.FullName()))
		f.Enums = append(f.Enums, enumNames(message.Enums())...)
		f.addMessages(message.Messages())
	}
}

func enumNames(enums protoreflect.EnumDescriptors) []string {
	var names []string
	for i := range enums.Len() {
		names = append(names, string(enums.Get(i).FullName()))
	}
	return names
}

func (g *generator) write(path string) error {
	index, err := json.Marshal(g.index)
	if err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	if err := binary.Write(w, binary.BigEndian, uint32(len(index))); err != nil {
		return err
	}
	w.Write(index)
	w.Write(g.blob)
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}
