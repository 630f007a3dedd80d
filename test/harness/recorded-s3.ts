import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface RecordedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  /** The port of the client: requests of one connection have the same. */
  readonly fromPort: number | undefined;
}

export interface RecordedS3 {
  readonly endpoint: string;
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

const UPLOAD_ID = 'the-upload';

/** A server on loopback that accepts what an S3 client writes, stores nothing, and records the requests. */
export async function recordS3(): Promise<RecordedS3> {
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers, socket } = request;
    void buffer(request).then((body) => {
      requests.push({ method, path, headers, bytes: body.length, fromPort: socket.remotePort });
      if (method === 'PUT') response.setHeader('etag', '"etag"').end();
      else if (method === 'POST') response.setHeader('content-type', 'application/xml').end(answerTo(path));
      else response.writeHead(method === 'DELETE' ? 204 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo(path: string): string {
  const name = path.includes('uploads') ? 'InitiateMultipartUploadResult' : 'CompleteMultipartUploadResult';
  return `<?xml version="1.0" encoding="UTF-8"?><${name}><Bucket>b</Bucket><Key>k</Key><UploadId>${UPLOAD_ID}</UploadId><ETag>"etag"</ETag></${name}>`;
}
