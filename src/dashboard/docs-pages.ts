/** Pages of the documentation by the path of a page of the dashboard; longer paths have precedence. */
export const docsPages: Readonly<Record<string, string>> = {
  '/': 'dashboard',
  '/alerts': 'operations/alerts',
  '/analytics': 'billing/analytics',
  '/audit': 'accounts/audit',
  '/batches': 'api/batches',
  '/billing/invoices': 'billing/invoices',
  '/billing/plan': 'billing/plans',
  '/billing/usage': 'billing/usage',
  '/compare': 'graphql/comparisons',
  '/datasets': 'operations/datasets',
  '/files': 'api/files',
  '/hooks': 'api/webhooks',
  '/keys': 'accounts/keys',
  '/models': 'providers',
  '/playground': 'api/chat',
  '/providers': 'providers',
  '/routes': 'routing',
  '/sessions': 'billing/usage',
  '/settings': 'accounts/sign-in',
  '/status': 'operations/status',
  '/team': 'accounts/teams',
  '/tools': 'tools',
};

/** The address of the documentation of a page; null if it has none. */
export function docsUrlOf(pathname: string): string | null {
  const path = pathname.replace(/(?!^)\/$/, '').toLowerCase();
  const known = Object.keys(docsPages)
    .filter((each) => path === each || (each !== '/' && path.startsWith(`${each}/`)))
    .sort((one, other) => other.length - one.length);
  const page = docsPages[known[0] ?? ''];
  return page === undefined ? null : `/docs/guide/${page}`;
}
