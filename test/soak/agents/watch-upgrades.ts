import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A server by another address, at which is seen what its clients open. */
export interface WatchedServer {
  readonly url: string;
  /** The number of WebSocket connections that were accepted. */
  upgrades(): number;
  close(): void;
}

const ACCEPTED = 'HTTP/1.1 101 ';

/** Passes all bytes on to the server. */
export async function watchUpgrades(url: string): Promise<WatchedServer> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let count = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => to.destroy())
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
    server.on('data', (bytes: Buffer) => {
      if (bytes.toString('latin1', 0, ACCEPTED.length) === ACCEPTED) count++;
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    upgrades: () => count,
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
