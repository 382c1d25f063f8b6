/** What is answered to a question about the server itself, over HTTP and over xDS alike. */
export interface DebugAnswer {
  readonly status: number;
  /** Default: text. */
  readonly contentType?: string;
  readonly body: string;
}

/** JSON in one line, as Go writes it; `pretty`: indented. */
export function jsonAnswer(value: unknown, pretty: boolean): DebugAnswer {
  const body = pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value);
  return { status: 200, contentType: 'application/json', body };
}

export function textAnswer(body: string, status = 200): DebugAnswer {
  return { status, body };
}

/** What Go's mux says to a path that nobody serves; istioctl looks for these words. */
export const notFound: DebugAnswer = textAnswer('404 page not found\n', 404);

/** istioctl looks for the words of both. */
export const proxyMissing: DebugAnswer = textAnswer('You must provide a proxyID in the query string\n', 400);
export const proxyUnknown: DebugAnswer = textAnswer(
  'Proxy not connected to this Pilot instance. It may be connected to another instance.\n',
  404,
);
