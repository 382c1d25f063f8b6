// grpc-js alone as the load client's counterpart: finished frames, no state, no record of anything. What Node itself leaves to win.
import { createServer } from 'node:net';
import { Server, ServerCredentials, ServerInterceptingCall } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import { obey } from './told-server.mjs';

const type = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** A DiscoveryResponse of so many resources of so many bytes, with gRPC's prefix. */
function frameOf(count, size, round) {
  const writer = protobuf.Writer.create();
  writer.uint32(10).string(`version ${round}`);
  const value = new Uint8Array(size);
  for (let index = 0; index < count; index += 1) writer.uint32(18).fork().uint32(10).string(type).uint32(18).bytes(value).ldelim();
  const message = writer.uint32(34).string(type).uint32(42).string(`nonce ${round}`).finish();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

let next;
let served;
const calls = new Set();

/** As fake-istiod: all streams get one Buffer. */
function shareFrames(_, call) {
  call.serializeMessage = (frame) => frame;
  return new ServerInterceptingCall(call);
}

function handle(call) {
  let asked = false;
  calls.add(call);
  call.on('cancelled', () => calls.delete(call));
  call.on('data', () => {
    if (!asked) call.write(served);
    asked = true;
  });
}

const bytes = (value) => value;
const server = new Server({ 'grpc.enable_channelz': 0, 'grpc.max_concurrent_streams': 100_000, interceptors: [shareFrames] });
server.register(path, handle, bytes, bytes, 'bidi');
const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
const listening = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  injector.injectConnection(socket);
});
// As fake-istiod listens: of a thousand at once none has to call again.
await new Promise((resolve) => listening.listen({ host: '127.0.0.1', port: 0, backlog: 16_384 }, resolve));

obey(
  { plain: `127.0.0.1:${listening.address().port}` },
  {
    prepare: (_, ...numbers) => void (next = frameOf(...numbers.map(Number))),
    publish() {
      served = next;
      for (const call of calls) call.write(served);
    },
  },
);
