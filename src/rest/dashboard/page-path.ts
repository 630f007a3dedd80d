import type { Request } from 'express';

/** Whose first segment is one of these is asked of a programming interface, and gets its error, whoever asks. */
const interfaces: ReadonlySet<string> = new Set([
  'v1',
  'graphql',
  'exports',
  'assets',
  'auth',
  'docs',
  'healthz',
  'media',
  'metrics',
  'readyz',
  'webhooks',
]);

/** Whether somebody opens a page: by reading, in a browser, at a path that names no file. */
export function isPagePath(request: Request): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (!(request.headers.accept ?? '').includes('text/html')) return false;
  const segments = request.path.split('/');
  return !interfaces.has(segments[1] ?? '') && !(segments.at(-1) ?? '').includes('.');
}
