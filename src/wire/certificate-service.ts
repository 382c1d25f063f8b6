import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { CertificateRequest } from '../auth/ca-door.ts';
import type { Status } from '../protocol/response.ts';
import { credentialsOf } from './call-credentials.ts';
import { decodeCertificateRequest, encodeCertificateResponse } from './certificate-codec.ts';
import type { ByteMethod } from './grpc-server.ts';
import type { OpenCalls } from './open-calls.ts';
import { asCallError, StatusCode } from './status.ts';
import type { CertificateIssuer } from './xds-server-options.ts';

type Call = ServerDuplexStream<Buffer, Buffer>;

/** The service that pilot-agent asks for certificates. */
export const certificateService = 'istio.v1.auth.IstioCertificateService';

const unknownService: Status = { code: StatusCode.unimplemented, message: `unknown service ${certificateService}` };

/** istiod's certificate authority. `onPlaintext` giving `refuse` hides it from callers without TLS. */
export function certificateMethods(
  issuer: CertificateIssuer,
  calls: OpenCalls,
  onPlaintext: () => 'serve' | 'refuse',
): readonly ByteMethod[] {
  return [
    {
      path: `/${certificateService}/CreateCertificate`,
      handle(call) {
        if (onPlaintext() === 'refuse' && !calls.find(call.metadata).connection.secure) return end(call, unknownService);
        let asked = false;
        call.on('data', (bytes: Buffer) => {
          if (!asked) void answer(call, bytes, issuer, calls);
          asked = true;
        });
        call.on('end', () => asked || end(call, { code: StatusCode.internal, message: 'the call ends without a request' }));
      },
    },
  ];
}

async function answer(call: Call, bytes: Buffer, issuer: CertificateIssuer, calls: OpenCalls): Promise<void> {
  const record = calls.find(call.metadata);
  const made = await reply(bytes, (request) => issuer.create(request, credentialsOf(call.metadata, record.connection)));
  // The client has gone, or the server has ended the call in the meantime.
  if (call.cancelled || record.sentStatus) return;
  if ('code' in made) return end(call, made);
  call.write(encodeCertificateResponse(made));
  call.end();
}

async function reply(
  bytes: Buffer,
  create: (request: CertificateRequest) => Promise<readonly string[] | Status>,
): Promise<readonly string[] | Status> {
  let request: CertificateRequest;
  try {
    request = decodeCertificateRequest(bytes);
  } catch (error) {
    return { code: StatusCode.internal, message: `grpc: failed to unmarshal the received message: ${textOf(error)}` };
  }
  try {
    return await create(request);
  } catch (error) {
    return { code: StatusCode.internal, message: `fake-istiod failed: ${textOf(error)}` };
  }
}

function end(call: Call, status: Status): void {
  call.emit('error', asCallError(status));
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
