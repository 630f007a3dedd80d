import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, signIn, visit, type SharedBrowser } from '../harness/chromium.ts';
import { json, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

describe.skipIf(chromiumPath === null)('first steps on a server without the sandbox', () => {
  let provider: FakeProvider;
  let server: ServerProcess;
  let browser: SharedBrowser;

  beforeAll(async () => {
    provider = await startFakeProvider(json(200, { object: 'list', data: [{ id: 'gpt-4.1-mini', object: 'model' }] }));
    server = await startServer({
      SLUICE_SANDBOX: 'false',
      OPENAI_API_KEY: 'sk-first-steps',
      OPENAI_BASE_URL: `${provider.url}/v1`,
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
    await provider?.close();
  });

  it('show a request to an available model', async () => {
    const { page, close } = await visit(browser, server.url);
    await signIn(page, server);
    await page.getByRole('heading', { name: 'Your first request' }).waitFor();
    const code = page.getByRole('region', { name: 'Code' });
    await code.getByText('openai/gpt-4.1-mini').waitFor();
    expect(await code.getByText('sandbox/').count()).toBe(0);
    await close();
  });
});
