import { describe, expect, it } from 'vitest';
import { docsPages, docsUrlOf } from '../../../src/dashboard/docs-pages.ts';
import { pagePaths } from '../../../src/rest/dashboard/page-path.ts';
import { documentationPages } from '../../harness/docs.ts';

/** Pages without a header of the dashboard. */
const withoutHeader =
  /^\/(?:confirm-sign-up|forgot-password|invitation|reset-password|shared|sign-in|sign-up|verify-email)/;

describe('the link to the documentation', () => {
  it.each(pagePaths.filter((path) => !withoutHeader.test(path)))('of the page %s leads to a page', (path) => {
    expect(docsUrlOf(path)).toMatch(/^\/docs\/guide\//);
  });

  it('leads to pages that exist', () => {
    const missing = Object.values(docsPages).filter((name) => !documentationPages.includes(`docs/${name}.md`));
    expect(missing).toEqual([]);
  });

  it('is that of the longest path', () => {
    expect(docsUrlOf('/billing/usage/')).toBe('/docs/guide/billing/usage');
    expect(docsUrlOf('/models/sandbox/chat')).toBe('/docs/guide/providers');
    expect(docsUrlOf('/sign-in')).toBeNull();
  });
});
