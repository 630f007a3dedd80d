import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { z } from 'zod';

/** Where a run leaves its pictures. */
export const picturesFolder = process.env.SLUICE_TEST_SCREENSHOTS ?? join(tmpdir(), 'sluice-screenshots');

export const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export type Size = keyof typeof sizes;
export type Theme = 'light' | 'dark';

const PATIENCE_MS = 120_000;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const places = [
  process.env.SLUICE_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A Chromium of this machine; null where it has none. */
export const chromiumPath = places.find((place) => place !== undefined && existsSync(place)) ?? null;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath ?? '', args: ['--no-sandbox'] });
}

/** A browser's window with what went wrong in it. */
export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the console told as an error: breaches of the policy too. */
  readonly errors: string[];
  /** Every address that was asked for. */
  readonly requested: string[];
  close(): Promise<void>;
}

export async function visit(
  browser: Browser,
  baseURL: string,
  options: {
    readonly size?: Size;
    readonly theme?: Theme;
    readonly storage?: StorageState;
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
  // Below a test's own limit, so that what was waited for is told.
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requested.push(request.url()));
  page.on('websocket', (socket) => requested.push(socket.url()));
  return { page, context, errors, requested, close: () => context.close() };
}

export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

/** Signs a user in by the page itself. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

/** Once nothing is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  // Waits for each in turn: the page's policy allows no code from here, such as a condition to watch.
  while ((await page.getByLabel('Loading').count()) > 0)
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
}

const violationsForm = z.array(
  z.looseObject({
    id: z.string(),
    impact: z.string().nullish(),
    help: z.string(),
    nodes: z.array(z.looseObject({ html: z.string(), failureSummary: z.string().optional() })),
  }),
);

/** What WCAG 2.2 A and AA find wrong in the page as it is, told in one line each: only what is serious or critical. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const found: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) => violations)`,
  );
  return violationsForm
    .parse(found)
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`));
}

export async function photograph(page: Page, name: string): Promise<void> {
  mkdirSync(picturesFolder, { recursive: true });
  await page.screenshot({ path: join(picturesFolder, `${name}.png`) });
}
