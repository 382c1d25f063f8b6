// Does with @grpc/grpc-js-xds what proxyless/main.go does with grpc-go: calls a service by its name in the mesh until one answer comes.
import { Client, credentials } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { target: { type: 'string' }, method: { type: 'string' }, until: { type: 'string' } } });
register();
const client = new Client(values.target, credentials.createInsecure());
const deadline = Date.now() + 30_000;
/** A `StringValue` has one field, which is a short text here. */
const textOf = (bytes) => bytes.subarray(2).toString();

function call() {
  const options = { deadline };
  client.waitForReady(deadline, (notReady) => {
    if (notReady) return end(notReady);
    client.makeUnaryRequest(
      values.method,
      () => Buffer.alloc(0),
      textOf,
      {},
      options,
      (error, answer) => {
        if (error) return end(error);
        process.stdout.write(`answered by ${answer}\n`);
        if (answer === values.until) return end();
        setTimeout(call, 10);
      },
    );
  });
}

function end(error) {
  if (error) process.stdout.write(`failed: ${error.message}\n`);
  client.close();
  process.exit(error ? 1 : 0);
}

call();
