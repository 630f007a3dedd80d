import type { Server } from 'node:http';

/** @returns the server's URL on this machine */
export function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolved, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      resolved(`http://${shown.includes(':') ? `[${shown}]` : shown}:${bound}`);
    });
  });
}
