import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of transcripts that takes whatever it is sent as fast as it comes, and keeps nothing of it. */
const server = createServer((request, response) => {
  request
    .on('data', () => undefined)
    .on('end', () => {
      const body = JSON.stringify({ text: 'Hello.', usage: { type: 'duration', seconds: 1 } });
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
        .end(body);
    });
});
server.listen(0, '127.0.0.1', () => {
  const address: AddressInfo | string | null = server.address();
  process.stdout.write(`ready ${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});
