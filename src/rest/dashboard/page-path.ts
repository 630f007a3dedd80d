import type { Request } from 'express';

/**
 * Paths of pages in the syntax of the dashboard's router: `$name` is one segment, `/$` at the end any number of segments. A copy,
 * because other folders must not import the dashboard; a test compares both.
 */
export const pagePaths: readonly string[] = [
  '/',
  '/alerts',
  '/analytics',
  '/audit',
  '/batches',
  '/billing/invoices',
  '/billing/plan',
  '/billing/usage',
  '/compare',
  '/compare/$id',
  '/confirm-sign-up',
  '/datasets',
  '/datasets/$id',
  '/datasets/$id/runs/$runId',
  '/datasets/runs',
  '/datasets/runs/$runId',
  '/files',
  '/forgot-password',
  '/hooks',
  '/invitation',
  '/keys',
  '/models',
  '/models/$provider/$',
  '/models/compare',
  '/playground',
  '/providers',
  '/providers/$provider',
  '/reset-password',
  '/routes',
  '/sessions',
  '/sessions/session',
  '/settings',
  '/shared/comparison',
  '/sign-in',
  '/sign-up',
  '/status',
  '/team',
  '/tools',
  '/verify-email',
];

/** First segments of API paths, whose errors are never pages. */
const interfaces: ReadonlySet<string> = new Set([
  '.well-known',
  'v1',
  'v2',
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

/** Like the router in the browser, case-insensitive and with an optional trailing slash. */
const known = new RegExp(`^(?:${pagePaths.map(patternOf).join('|')})/?$`, 'i');

/**
 * Status of the page for a path opened in a browser; null if it is not a page. Paths with a dot are files, except names of models.
 */
export function pageStatus(request: Request): 200 | 404 | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  if (!(request.headers.accept ?? '').includes('text/html')) return null;
  if (known.test(request.path)) return 200;
  const segments = request.path.split('/');
  return interfaces.has(segments[1] ?? '') || (segments.at(-1) ?? '').includes('.') ? null : 404;
}

function patternOf(path: string): string {
  return path.replace(/\/\$$/, '(?:/.*)?').replaceAll(/\$\w+/g, '[^/]+');
}
