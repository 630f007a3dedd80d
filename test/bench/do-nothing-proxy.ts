import { createServer } from 'node:http';
import { Pool } from 'undici';

/** The least that a proxy can do in Node: read the body, send it on, stream the answer back. Everything else is measured against it. */
const [port, upstream = ''] = process.argv.slice(2);
const pool = new Pool(upstream, { pipelining: 1 });
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const headers = {
      'content-type': request.headers['content-type'] ?? 'application/json',
      authorization: request.headers.authorization ?? '',
    };
    pool
      .stream(
        { path: request.url ?? '/', method: 'POST', headers, body: Buffer.concat(parts) },
        ({ statusCode, headers: answer }) => {
          response.writeHead(statusCode, answer);
          return response;
        },
      )
      .catch(() => response.destroy());
  });
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
