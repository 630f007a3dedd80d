import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  type Request,
} from 'playwright-core';
import { z } from 'zod';
import { chromiumPath } from './tool-paths.ts';

export const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export type Size = keyof typeof sizes;
export type Theme = 'light' | 'dark';

const PATIENCE_MS = 120_000;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export { chromiumPath };

/** What opens pages. */
export interface PageOpener {
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
}

/** A part of the browser process that test files share. */
export interface SharedBrowser extends PageOpener {
  /** Closes the pages that this part opened. The process stays for the files after this one. */
  close(): Promise<void>;
}

let running: Promise<Browser> | null = null;

/** One process for all files of a worker: it ends with the worker. */
export async function openBrowser(): Promise<SharedBrowser> {
  running ??= launchChromium();
  const browser = await running;
  const opened: BrowserContext[] = [];
  return {
    newContext: async (options) => {
      const context = await browser.newContext(options);
      opened.push(context);
      return context;
    },
    close: async () => {
      await Promise.all(opened.map(closeContext));
    },
  };
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox', '--disable-gpu'] });
}

/** A window of the browser, with the errors in it. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console: breaches of the content security policy too. */
  readonly errors: string[];
  /** Every URL that was requested. */
  readonly requested: string[];
  close(): Promise<void>;
}

export async function visit(
  browser: PageOpener,
  baseURL: string,
  options: {
    readonly size?: Size;
    readonly theme?: Theme;
    readonly storage?: StorageState;
    /** A session, as a `cookie` header. */
    readonly cookie?: string;
    readonly timeZone?: string;
  } = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    baseURL,
    viewport: sizes[options.size ?? 'desktop'],
    colorScheme: options.theme ?? 'light',
    isMobile: options.size === 'phone',
    hasTouch: options.size === 'phone',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...(options.storage && { storageState: options.storage }),
    ...(options.timeZone && { timezoneId: options.timeZone }),
  });
  // Below a test's own limit, so that the error names what was waited for.
  context.setDefaultTimeout(PATIENCE_MS);
  context.on('page', (page) => {
    openRequests.set(page, new OpenRequests(page));
    if (process.env.SLUICE_COVERAGE) recordCoverage(page);
  });
  if (options.cookie !== undefined) {
    const [name = '', value = ''] = options.cookie.split('=');
    await context.addCookies([{ name, value, url: baseURL }]);
  }
  const page = await context.newPage();
  await coverages.get(page);
  const errors: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requested.push(request.url()));
  page.on('websocket', (socket) => requested.push(socket.url()));
  return { page, context, errors, requested, close: () => closeContext(context) };
}

export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

const coverages = new WeakMap<Page, Promise<void>>();

/** What a document ran is forgotten some time after the next has come: it is taken before. */
function recordCoverage(page: Page): void {
  const start = (): void => void coverages.set(page, page.coverage.startJSCoverage({ resetOnNavigation: false }));
  const startAnew = async (): Promise<void> => {
    await keepCoverage(page);
    start();
    await coverages.get(page);
  };
  start();
  const [goTo, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...args) => startAnew().then(() => goTo(...args));
  page.reload = async (...args) => startAnew().then(() => reload(...args));
}

async function closeContext(context: BrowserContext): Promise<void> {
  if (process.env.SLUICE_COVERAGE) await Promise.all(context.pages().map(keepCoverage));
  await context.close();
}

async function keepCoverage(page: Page): Promise<void> {
  await coverages.get(page);
  const scripts = await page.coverage.stopJSCoverage();
  for (const { url, functions } of scripts)
    if (url.includes('/assets/')) globalThis.browserCoverage?.push({ url, functions });
}

/** The requests of a page that have no answer yet. */
class OpenRequests {
  readonly #open = new Set<Request>();
  #onNone: (() => void)[] = [];

  constructor(page: Page) {
    page.on('request', (request) => {
      // Nobody waits for the requests of the document before.
      if (request.isNavigationRequest() && request.frame() === page.mainFrame()) this.#open.clear();
      this.#open.add(request);
    });
    page.on('requestfinished', (request) => this.#end(request));
    page.on('requestfailed', (request) => this.#end(request));
  }

  get count(): number {
    return this.#open.size;
  }

  async none(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#onNone.push(resolve));
  }

  #end(request: Request): void {
    this.#open.delete(request);
    if (this.#open.size > 0) return;
    for (const resolve of this.#onNone.splice(0)) resolve();
  }
}

const openRequests = new WeakMap<Page, OpenRequests>();

/** Signs a user in by the page itself. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** Waits until the page has its heading, loads nothing any more and has drawn what came. */
export async function settled(page: Page): Promise<void> {
  const loading = page.getByLabel('Loading');
  const requests = openRequests.get(page);
  await page.locator('h1').first().waitFor();
  do {
    // Waits for each in turn: the page's policy allows no code from here, such as a condition to watch.
    while ((await loading.count()) > 0) await loading.first().waitFor({ state: 'detached' });
    await requests?.none();
    await drawn(page);
  } while ((requests?.count ?? 0) > 0 || (await loading.count()) > 0);
}

/** Waits for two frames, of which one runs effects and the next draws what they changed, and for transitions. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    do for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    while (document.getAnimations().some(({ playState }) => playState === 'running'));
  })()`);
}

const violationsForm = z.array(
  z.looseObject({
    id: z.string(),
    impact: z.string().nullish(),
    help: z.string(),
    nodes: z.array(z.looseObject({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

const axeRules = {
  /** WCAG 2.2 A and AA. */
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
  /** All of these that a theme can break. */
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
} as const;

/** The serious and critical accessibility faults of the page as it is, one line each. */
export async function accessibilityFaults(page: Page, rules: keyof typeof axeRules = 'all'): Promise<string[]> {
  // It takes longer to read the source than to run it: once for each document.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axeSource);
  // Only violations are described, by their HTML, and no style sheet is fetched again.
  const options = {
    runOnly: axeRules[rules],
    resultTypes: ['violations'],
    selectors: false,
    preload: { assets: ['media'] },
  };
  const found: unknown = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violationsForm
    .parse(found)
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`));
}

/** Whether nothing hangs over the edge of the window. */
export async function fitsWidth(page: Page): Promise<boolean> {
  return z.boolean().parse(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
}

/** The placeholders on the page that are wider than their empty fields: each is put in as text, which takes the same room. */
export async function cutPlaceholders(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(`[...document.querySelectorAll('input[placeholder]')].flatMap((field) => {
    if (!field.checkVisibility() || field.value !== '') return [];
    field.value = field.placeholder;
    const isCut = field.scrollWidth > field.clientWidth;
    field.value = '';
    return isCut ? [field.placeholder] : [];
  })`);
  return z.array(z.string()).parse(found);
}

/** The texts of rows on the page that are wider or higher than the room that they are shown in. */
export async function cutCells(page: Page): Promise<string[]> {
  const found: unknown =
    await page.evaluate(`[...document.querySelectorAll('[role="cell"], [role="cell"] *')].flatMap((element) => {
    if (!element.checkVisibility() || getComputedStyle(element).overflow === 'visible') return [];
    const isCut = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1;
    return isCut ? [element.textContent] : [];
  })`);
  return z.array(z.string()).parse(found);
}

/**
 * What of the page's texts its width hides, each with the element that hides it: texts cut at the edge of their element, and
 * elements that scroll sideways without being made for it, as tables, code and tabs are. A row, link or button may end a text
 * after some lines: it opens what shows it whole.
 */
export async function cutTexts(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(`(() => {
    const visible = (element) => element.checkVisibility({ visibilityProperty: true }) && element.clientWidth > 1;
    const scrolls = '[role="region"], [role="group"][tabindex], [role="tablist"], pre, textarea';
    const opens = '[data-index], a, button';
    return [...document.querySelectorAll('body, body *')].flatMap((element) => {
      if (element.closest('svg') !== null || !visible(element) || element.textContent.trim() === '') return [];
      const { overflowX, overflowY, contain, webkitLineClamp } = getComputedStyle(element);
      if (webkitLineClamp !== 'none' && element.closest(opens) !== null) return [];
      const isWide = element.scrollWidth > element.clientWidth;
      const isHigh = element.scrollHeight > element.clientHeight + 1;
      const clips = (overflow) => overflow === 'hidden' || overflow === 'clip' || contain === 'strict';
      const isCut = (isWide && clips(overflowX)) || (isHigh && clips(overflowY));
      const isSideways = isWide && overflowX === 'auto' && !element.matches(scrolls);
      return isCut || isSideways ? [element.tagName.toLowerCase() + ': ' + element.textContent.slice(0, 160)] : [];
    });
  })()`);
  return z.array(z.string()).parse(found);
}

/** Takes a screenshot where `SLUICE_TEST_SCREENSHOTS` names a folder for them. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env.SLUICE_TEST_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
