import type { Server } from 'node:http';
import { toSluiceError } from '../errors/index.ts';
import { logExhausted } from '../gateway/request/log-exhausted.ts';

interface ListenLog {
  error(fields: object, message: string): void;
}

/** @param log for errors of the server while it listens: it goes on @returns the server's URL on this machine */
export function listen(server: Server, host: string, port: number, log: ListenLog): Promise<string> {
  return new Promise((resolved, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', (err) => logFailure(log, err));
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
      resolved(`http://${shown.includes(':') ? `[${shown}]` : shown}:${bound}`);
    });
  });
}

function logFailure(log: ListenLog, err: Error): void {
  const error = toSluiceError(err);
  if (error.code === 'resources_exhausted') logExhausted(log, error);
  else log.error({ err }, 'accepting a connection failed');
}
