import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchChromium, settled, signIn, visit, type StorageState, type Theme } from '../harness/chromium.ts';
import { launchServer } from '../harness/launch-server.ts';

/** Takes the pictures of README.md, of a new server and its sandbox provider: `npm run screenshots`. */
const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const viewport = { width: 1280, height: 800 };
/** A price, so that requests of the sandbox cost something. */
const CONFIG = 'models: { sandbox/chat: { input: "0.50", output: "1.50" } }\n';

const folder = mkdtempSync(join(tmpdir(), 'sluice-screenshots-'));
writeFileSync(join(folder, 'sluice.yaml'), CONFIG);
const server = await launchServer(folder, { PORT: '0', SLUICE_SANDBOX_TOKENS_PER_SECOND: '200' }, null);
const browser = await launchChromium();
try {
  await sendRequests();
  const state = await signedIn(browser);
  await picture(browser, state, 'usage-logs', 'light', async (page) => {
    await page.goto('/billing/usage');
  });
  await picture(browser, state, 'playground', 'dark', async (page) => {
    await page.goto('/playground');
    await page.getByLabel('Message').fill('Name three rivers of Europe.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });
} finally {
  await browser.close();
  await server.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

async function sendRequests(): Promise<void> {
  for (let index = 0; index < 24; index += 1) {
    const answer = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.apiKey}`,
        'content-type': 'application/json',
        'x-sluice-tags': `team=${index % 3 === 0 ? 'search' : 'support'}`,
      },
      body: JSON.stringify({
        model: 'sandbox/chat',
        messages: [{ role: 'user', content: `Summarize ticket ${index}.` }],
        max_completion_tokens: 40 + index,
      }),
    });
    await answer.arrayBuffer();
  }
}

async function signedIn(on: Browser): Promise<StorageState> {
  const { page, context, close } = await visit(on, server.url);
  await signIn(page, server);
  const state = await context.storageState();
  await close();
  return state;
}

async function picture(
  on: Browser,
  storage: StorageState,
  name: string,
  theme: Theme,
  open: (page: Page) => Promise<void>,
): Promise<void> {
  const { page, close } = await visit(on, server.url, { theme, storage });
  await page.setViewportSize(viewport);
  await open(page);
  await settled(page);
  await page.screenshot({ path: join(images, `${name}-${theme}.png`) });
  await close();
}
