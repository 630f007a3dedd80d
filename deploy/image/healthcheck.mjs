// Exits with 0 when the server in this container is ready to serve.
import { get } from 'node:http';

const port = process.env.PORT || '4000';
get({ host: '127.0.0.1', port, path: '/readyz', timeout: 4_000 }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
