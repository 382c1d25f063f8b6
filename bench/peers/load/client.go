package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// As much as Envoy lets come unasked.
const (
	streamWindow     = 16 << 20
	connectionWindow = 24 << 20
)

// arrival is a response and when its last byte was there.
type arrival struct {
	client   int
	at       time.Time
	response response
	// The stream is over, and nothing more comes.
	failure error
}

// client is one proxy: a connection of its own with one stream.
type client struct {
	number     int
	work       *work
	connection net.Conn
	framer     *http2.Framer
	writing    sync.Mutex
	reader     responseReader
	unread     int
	began      time.Time
	window     sendWindow
}

// connect opens the stream and asks. Responses, from the first on, go to arrivals.
func connect(number int, work *work, request []byte, arrivals chan<- arrival) (*client, error) {
	c := &client{number: number, work: work, began: time.Now(), window: newSendWindow()}
	connection, err := net.Dial("tcp", work.Target)
	if err != nil {
		return nil, err
	}
	if work.TLS {
		// Nobody vouches for the certificates of a bench.
		connection = tls.Client(connection, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	}
	c.connection = connection
	var opening bytes.Buffer
	c.framer = http2.NewFramer(&opening, connection)
	c.framer.SetReuseFrames()
	if err := c.open(&opening); err != nil {
		return nil, err
	}
	if _, err := connection.Write(opening.Bytes()); err != nil {
		return nil, err
	}
	c.framer = http2.NewFramer(connection, connection)
	c.framer.SetReuseFrames()
	go c.listen(arrivals)
	return c, c.send(request)
}

// open puts the preface and the headers into one write.
func (c *client) open(opening *bytes.Buffer) error {
	method := "StreamAggregatedResources"
	if c.work.Variant == "delta" {
		method = "DeltaAggregatedResources"
	}
	var headers bytes.Buffer
	encoder := hpack.NewEncoder(&headers)
	for _, field := range [][2]string{
		{":method", "POST"}, {":scheme", "http"}, {":authority", "bench"},
		{":path", "/envoy.service.discovery.v3.AggregatedDiscoveryService/" + method},
		{"te", "trailers"}, {"content-type", "application/grpc"},
	} {
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			return err
		}
	}
	opening.WriteString(http2.ClientPreface)
	if err := c.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow}); err != nil {
		return err
	}
	if err := c.framer.WriteWindowUpdate(0, connectionWindow-65535); err != nil {
		return err
	}
	return c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers.Bytes(), EndHeaders: true})
}

// send writes a message on the stream, as far as the server lets it at a time.
func (c *client) send(message []byte) error {
	left := framed(message)
	for len(left) > 0 {
		piece, err := c.window.take(min(len(left), 16384))
		if err != nil {
			return err
		}
		c.writing.Lock()
		err = c.framer.WriteData(1, false, left[:piece])
		c.writing.Unlock()
		if err != nil {
			return err
		}
		left = left[piece:]
	}
	return nil
}

// listen reads until the connection ends.
func (c *client) listen(arrivals chan<- arrival) {
	for {
		frame, err := c.framer.ReadFrame()
		if err == nil {
			err = c.take(frame, arrivals)
		}
		if err != nil {
			c.window.close(err)
			if !errors.Is(err, net.ErrClosed) {
				arrivals <- arrival{client: c.number, failure: err}
			}
			return
		}
	}
}

func (c *client) take(frame http2.Frame, arrivals chan<- arrival) error {
	switch frame := frame.(type) {
	case *http2.DataFrame:
		c.unread += len(frame.Data())
		c.reader.feed(frame.Data(), func(came response) {
			arrivals <- arrival{client: c.number, at: time.Now(), response: came}
		})
		return c.openWindow()
	case *http2.SettingsFrame:
		if frame.IsAck() {
			return nil
		}
		if size, given := frame.Value(http2.SettingInitialWindowSize); given {
			c.window.setInitial(int(size))
		}
		c.writing.Lock()
		defer c.writing.Unlock()
		return c.framer.WriteSettingsAck()
	case *http2.WindowUpdateFrame:
		c.window.add(frame.StreamID, int(frame.Increment))
	case *http2.PingFrame:
		if frame.IsAck() {
			return nil
		}
		c.writing.Lock()
		defer c.writing.Unlock()
		return c.framer.WritePing(true, frame.Data)
	case *http2.HeadersFrame:
		if frame.StreamEnded() {
			return fmt.Errorf("stream %d was ended: %s", c.number, statusIn(frame.HeaderBlockFragment()))
		}
	case *http2.GoAwayFrame:
		return fmt.Errorf("stream %d was told to go: %s", c.number, frame.ErrCode)
	case *http2.RSTStreamFrame:
		return fmt.Errorf("stream %d was reset: %s", c.number, frame.ErrCode)
	}
	return nil
}

// openWindow gives back what was read, a good piece at a time.
func (c *client) openWindow() error {
	if c.unread < streamWindow/4 {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	given := uint32(c.unread)
	c.unread = 0
	if err := c.framer.WriteWindowUpdate(0, given); err != nil {
		return err
	}
	return c.framer.WriteWindowUpdate(1, given)
}

// statusIn reads a status as well as it can be read without what came before on this connection.
func statusIn(block []byte) string {
	found := "no status"
	decoder := hpack.NewDecoder(4096, func(field hpack.HeaderField) {
		if field.Name == "grpc-status" || field.Name == "grpc-message" {
			found += " " + field.Value
		}
	})
	if _, err := decoder.Write(block); err != nil {
		return err.Error()
	}
	return found
}
