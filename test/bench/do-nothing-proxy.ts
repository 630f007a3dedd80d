import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { Pool } from 'undici';

const [port, upstream = '', processes = '1'] = process.argv.slice(2);
if (cluster.isPrimary && processes !== '1') share(Number(processes));
else serve();

/** Processes share the port, as the workers of Sluice do. */
function share(count: number): void {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  let listening = 0;
  cluster.on('listening', () => {
    if (++listening === count) ready();
  });
  for (let forked = 0; forked < count; forked++) cluster.fork();
}

/** The least that a proxy can do in Node: read the body, send it on, stream the answer back. Everything else is measured against it. */
function serve(): void {
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
  server.listen(Number(port), '127.0.0.1', () => {
    if (cluster.isPrimary) ready();
  });
}

function ready(): void {
  process.stdout.write('ready\n');
}
