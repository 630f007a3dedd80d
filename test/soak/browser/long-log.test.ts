import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { walkLog } from '../../browser/walk-log.ts';
import { chromiumPath, openBrowser, signIn, visit, type SharedBrowser } from '../../harness/chromium.ts';
import { startWithLongLog } from '../../harness/long-log.ts';
import type { ServerProcess } from '../../harness/server-process.ts';

const ROWS = 100_000;

describe.skipIf(chromiumPath === null)('a log of 100,000 requests', () => {
  let server: ServerProcess;
  let browser: SharedBrowser;

  beforeAll(async () => {
    server = await startWithLongLog(ROWS, openDatabase);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  it('is walked through with few rows in the page, and goes on where one stopped', async () => {
    const { page, errors } = await visit(browser, server.url);
    await signIn(page, server);
    await walkLog(page, 1_000);
    expect(errors).toEqual([]);
  });
});
