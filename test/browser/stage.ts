import { afterAll, beforeAll, beforeEach, describe, expect, vi } from 'vitest';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { chromiumPath, openBrowser, visit, type SharedBrowser, type Visitor } from '../harness/chromium.ts';
import { queryRunning, sqlText } from '../harness/running-database.ts';
import { newBrowserAccount, type BrowserAccount } from './product.ts';

interface Opened {
  readonly account: BrowserAccount;
  readonly browser: SharedBrowser;
  readonly visitor: Visitor;
}

/** What the tests of a suite have in common, from the first to the last. */
export class BrowserStage {
  #opened: Opened | null = null;

  /** An account of their own. */
  get account(): BrowserAccount {
    return this.#get.account;
  }

  get browser(): SharedBrowser {
    return this.#get.browser;
  }

  /** A window in which the owner of the account is signed in. */
  get visitor(): Visitor {
    return this.#get.visitor;
  }

  async open(): Promise<void> {
    const [account, browser] = await Promise.all([newBrowserAccount(), openBrowser()]);
    const visitor = await visit(browser, account.url, { cookie: account.cookie });
    this.#opened = { account, browser, visitor };
  }

  /** Waits until a successful request is in the usage log: pages that are opened earlier show totals without it. */
  async logged({ ok, headers }: Response): Promise<void> {
    if (!ok) return;
    const eventId = eventIdOf(headers.get('x-request-id') ?? '') ?? '';
    const find = `select 1 as found from usage_logs where event_id = ${sqlText(eventId)}`;
    await vi.waitFor(async () => expect(await queryRunning(this.account.database, find)).not.toEqual([]), {
      timeout: 60_000,
    });
  }

  /** What the window shows, to explain a failure. */
  async describe(): Promise<string> {
    const { page } = this.visitor;
    const controls = await page.evaluate(`[...document.querySelectorAll('form :is(input, select, textarea, button)')]
      .map((control) => [control.name || control.textContent, control.validationMessage, control.ariaBusy && 'busy'])
      .map((facts) => facts.filter(Boolean).join(', ')).join('\\n')`);
    return [page.url(), await page.locator('body').innerText(), controls].join('\n');
  }

  async close(): Promise<void> {
    await this.#opened?.browser.close();
    await this.#opened?.account.dispose();
  }

  get #get(): Opened {
    if (this.#opened === null) throw new Error('What tests have in common is there once the suite has begun.');
    return this.#opened;
  }
}

/** A suite in Chromium; it is skipped where that is not installed. */
export function describeInBrowser(name: string, suite: (stage: BrowserStage) => void): void {
  describe.skipIf(chromiumPath === null)(name, () => {
    const stage = new BrowserStage();
    beforeAll(() => stage.open());
    afterAll(() => stage.close());
    beforeEach(({ onTestFailed }) =>
      onTestFailed(async () => void process.stderr.write(`${await stage.describe()}\n`)),
    );
    suite(stage);
  });
}
