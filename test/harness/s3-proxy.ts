import { createServer, request as send, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Proxy {
  readonly endpoint: string;
  /**
   * The next request that fits is not answered: it is forwarded and its answer is withheld, or it does not reach the store at all.
   * @returns when it is there
   */
  withhold(fits: (request: IncomingMessage) => boolean, isForwarded: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Between a client and a store. Signatures stay valid, because the header `host` is forwarded. */
export async function startS3Proxy(store: string): Promise<S3Proxy> {
  const { hostname, port: storePort } = new URL(store);
  let fault: { fits: (request: IncomingMessage) => boolean; isForwarded: boolean; reached: () => void } | null = null;
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const withheld = fault?.fits(request) ? fault : null;
    if (withheld !== null) fault = null;
    if (withheld?.isForwarded === false) {
      withheld.reached();
      return;
    }
    const forwarded = send({ hostname, port: storePort, method, path, headers }, (answer) => {
      if (withheld === null) {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      } else answer.resume().once('end', withheld.reached);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    withhold: (fits, isForwarded) =>
      new Promise((reached) => {
        fault = { fits, isForwarded, reached };
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
