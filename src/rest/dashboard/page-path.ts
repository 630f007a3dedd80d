import type { Request } from 'express';

/**
 * Every page's path, as the dashboard's router has it: `$name` is one segment, `/$` at the end whatever follows, or nothing. No
 * other folder may import the dashboard, so they stand here once more, and a test compares the two.
 */
export const pagePaths: readonly string[] = [
  '/',
  '/audit',
  '/billing/invoices',
  '/billing/plan',
  '/billing/usage',
  '/compare',
  '/compare/$id',
  '/confirm-sign-up',
  '/forgot-password',
  '/hooks',
  '/invitation',
  '/keys',
  '/models',
  '/models/$provider/$',
  '/models/compare',
  '/playground',
  '/providers',
  '/reset-password',
  '/routes',
  '/settings',
  '/shared/comparison',
  '/sign-in',
  '/sign-up',
  '/team',
  '/verify-email',
];

/** Whose first segment is one of these is asked of a programming interface, and gets its error, whoever asks. */
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

/** The router in the browser tells no case and no slash at the end apart. */
const known = new RegExp(`^(?:${pagePaths.map(patternOf).join('|')})/?$`, 'i');

/**
 * What somebody gets who opens a path in a browser: a page, the page that says that there is none, or, with null, what an
 * interface answers. A model's name may have a dot, where another path with one names a file.
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
