import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { joinSmallWrites } from '../../../../src/providers/shared/http/small-writes.ts';

const closers: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A key that both sides know: no certificate is needed. */
const shared = { ciphers: 'PSK', maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const;
const psk = Buffer.from('known to both');

const kinds = {
  TCP: { server: createServer, client: (port: number) => connect(port, '127.0.0.1'), connected: 'connect' },
  TLS: {
    server: (taken: (socket: Socket) => void) => createTlsServer({ ...shared, pskCallback: () => psk }, taken),
    client: (port: number) =>
      connectTls({
        ...shared,
        port,
        host: '127.0.0.1',
        checkServerIdentity: () => undefined,
        pskCallback: () => ({ psk, identity: 'test' }),
      }),
    connected: 'secureConnect',
  },
};

/** All writes of a socket, in order. */
async function arrived(kind: keyof typeof kinds, write: (socket: Socket) => void): Promise<Buffer> {
  const { server: create, client, connected } = kinds[kind];
  const chunks: Buffer[] = [];
  const whole = Promise.withResolvers<Buffer>();
  const server: Server = create((socket: Socket) => {
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', whole.reject);
    socket.on('end', () => whole.resolve(Buffer.concat(chunks)));
  });
  closers.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const socket = client(typeof address === 'object' && address !== null ? address.port : 0);
  closers.push(() => socket.destroy());
  joinSmallWrites(socket);
  await once(socket, connected);
  socket.cork();
  write(socket);
  socket.uncork();
  socket.end();
  return whole.promise;
}

const head = 'POST /v1 HTTP/1.1\r\nx: \u00e9\r\n\r\n';
const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

describe.each(['TCP', 'TLS'] as const)('what is written together over %s', (kind) => {
  it('is joined with the body to the byte if it is small', async () => {
    let writes: unknown[][] = [];
    const bytes = await arrived(kind, (socket) => {
      writes = vi.spyOn(socket, '_write').mock.calls;
      socket.write(head, 'latin1');
      socket.write(everyByte);
    });
    expect(bytes).toEqual(Buffer.concat([Buffer.from(head, 'latin1'), everyByte]));
    expect(writes).toHaveLength(1);
  });

  it('is unchanged if it is large', async () => {
    const large = Buffer.alloc(64 * 1024, everyByte);
    const bytes = await arrived(kind, (socket) => {
      socket.write(head, 'latin1');
      socket.write(large);
    });
    expect(bytes).toEqual(Buffer.concat([Buffer.from(head, 'latin1'), large]));
  });

  it('is unchanged if a string has multi-byte characters', async () => {
    const bytes = await arrived(kind, (socket) => {
      socket.write(head, 'latin1');
      socket.write('data: \u{1f30a}\n\n');
    });
    expect(bytes).toEqual(Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from('data: \u{1f30a}\n\n')]));
  });
});
