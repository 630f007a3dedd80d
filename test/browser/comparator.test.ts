import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { stream } from '../harness/fake-provider.ts';
import { accessibilityFaults, photograph, settled, visit } from '../harness/chromium.ts';
import { expectReadable } from './looks.ts';
import { lanes, type BrowserAccount } from './product.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the comparator', (stage) => {
  let address = '';

  beforeAll(async () => {
    stage.account.provider.answerWith((request, response) =>
      stream(['The sea is ', request.json.model === 'gpt-4.1' ? 'green' : 'blue', ' and calm today.'])(
        request,
        response,
      ),
    );
    await connectOpenAi(stage.account);
  });

  function asking(models: readonly string[], kind = 'CHAT'): string {
    return `/compare?kind=${kind}&models=${encodeURIComponent(JSON.stringify(models))}`;
  }

  const answers = (page: Page) =>
    page.getByRole('group', { name: 'Responses' }).getByRole('region', { name: /^Response of / });

  it('streams eight responses side by side', async () => {
    const { page } = stage.visitor;
    await page.goto(asking(lanes));
    await settled(page);
    await page.getByLabel('Prompt').fill('Tell a story about the sea in 200 words.');
    await page.getByRole('button', { name: 'Compare 8 models' }).click();
    await expect.poll(() => answers(page).count()).toBe(lanes.length);
    await expect.poll(() => page.getByText('tokens/s').count()).toBe(lanes.length);
    await photograph(page, 'comparison-streaming-desktop-light');
    await page.getByRole('button', { name: 'Stop all' }).waitFor({ state: 'detached' });
    address = page.url();
    const texts = await answers(page).allTextContents();
    expect(texts.every((each) => each.length > 100)).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('scrolls its responses together', async () => {
    const { page } = stage.visitor;
    await page.reload();
    await settled(page);
    await answers(page)
      .nth(0)
      .evaluate((each) => Reflect.set(each, 'scrollTop', 200));
    await expect
      .poll(() =>
        answers(page)
          .nth(7)
          .evaluate((each) => Reflect.get(each, 'scrollTop')),
      )
      .toBeGreaterThan(20);
  });

  it('scrolls them together again when the user returns to the same position', async () => {
    const { page } = stage.visitor;
    const at = (lane: number) => answers(page).nth(lane);
    const topOf = (lane: number) => at(lane).evaluate((each) => Number(Reflect.get(each, 'scrollTop')));
    const scroll = (lane: number, top: number) =>
      at(lane).evaluate((each, wanted) => Reflect.set(each, 'scrollTop', wanted), top);
    const followed = await topOf(7);
    await scroll(7, 0);
    await expect.poll(() => topOf(0)).toBe(0);
    await scroll(7, followed);
    await expect.poll(() => topOf(0)).toBeGreaterThan(20);
  });

  it('shows the difference of two responses, and saves a vote and a name', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: 'Difference' }).click();
    await page.getByRole('region', { name: 'Difference' }).getByText('The responses are identical').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'lane-3', exact: true }).getByRole('button', { name: 'Best' }).click();
    await page.getByRole('button', { name: 'Your vote' }).waitFor();
    await page.getByText('1 vote', { exact: true }).waitFor();
    await page.getByLabel('Name').fill('Stories of the sea');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Stories of the sea' }).waitFor();
    await page.goto('/compare');
    await page
      .getByRole('link', { name: /Stories of the sea/ })
      .getByText('lane-3', { exact: true })
      .waitFor();
  });

  it('shows the difference of two different responses', async () => {
    const { page } = stage.visitor;
    await page.goto(asking(['openai/gpt-4.1', 'openai/gpt-4.1-mini']));
    await settled(page);
    await page.getByLabel('Prompt').fill('What is the sea like?');
    await page.getByRole('button', { name: 'Compare 2 models' }).click();
    await page.getByRole('button', { name: 'Difference' }).click();
    const difference = page.getByRole('region', { name: 'Difference' });
    const told = async () => ({
      taken: await difference.locator('del').allTextContents(),
      added: await difference.locator('ins').allTextContents(),
      alike: await difference.locator('span').allTextContents(),
      isSame: (await difference.getByText('The responses are identical').count()) > 0,
    });
    const alike = ['The sea is ', ' and calm today.'];
    await expect.poll(told).toEqual({ taken: ['green'], added: ['blue'], alike, isSame: false });
    await page.getByLabel('From', { exact: true }).selectOption('openai/gpt-4.1-mini');
    await page.getByLabel('To', { exact: true }).selectOption('openai/gpt-4.1');
    await expect.poll(told).toEqual({ taken: ['blue'], added: ['green'], alike, isSame: false });
    await page.keyboard.press('Escape');
  });

  it('shows a vote and a name before the server confirms them, and reverts them when it refuses', async () => {
    const { page } = stage.visitor;
    let answer = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!/voteComparison|renameComparison/.test(route.request().postData() ?? '')) return route.continue();
      await answer.promise;
      return route.fulfill({ json: { data: null, errors: [{ message: 'Not now.' }] } });
    });
    await page
      .getByRole('region', { name: 'openai/gpt-4.1', exact: true })
      .getByRole('button', { name: 'Best' })
      .click();
    await page.getByRole('button', { name: 'Your vote' }).waitFor();
    answer.resolve();
    await page.getByText('Not now.').first().waitFor();
    await page.getByRole('button', { name: 'Your vote' }).waitFor({ state: 'detached' });

    answer = Promise.withResolvers<void>();
    await page.getByLabel('Name').fill('Colours of the sea');
    await page.getByRole('button', { name: 'Save' }).click();
    const heading = page.getByRole('heading', { level: 1, name: 'Colours of the sea' });
    await heading.waitFor();
    answer.resolve();
    await heading.waitFor({ state: 'detached' });
    await page.unroute('**/graphql');
  });

  it('stops one lane while the others continue', async () => {
    const { page } = stage.visitor;
    await page.goto(asking(['lane-1', 'lane-2']));
    await settled(page);
    await page.getByLabel('Prompt').fill('Tell another story about the sea in 100000 words.');
    await page.getByRole('button', { name: 'Compare 2 models' }).click();
    await page.getByRole('button', { name: 'Stop lane-1' }).click();
    await page.getByRole('region', { name: 'lane-1', exact: true }).getByText('Cancelled').waitFor();
    const other = page.getByRole('region', { name: 'lane-2', exact: true });
    const length = async (): Promise<number> => (await other.textContent())?.length ?? 0;
    const before = await length();
    await expect.poll(length).toBeGreaterThan(before + 200);
    expect(await page.getByText('Cancelled').count()).toBe(1);
    await page.getByRole('button', { name: 'Stop all' }).click();
    await other.getByText('Cancelled').waitFor();
  });

  it.each([
    ['IMAGE', 'sandbox/image', (page: Page) => page.getByRole('img', { name: 'Image 1 by sandbox/image' })],
    ['SPEECH', 'sandbox/speech', (page: Page) => page.getByLabel('Speech of sandbox/speech')],
    ['EMBEDDINGS', 'sandbox/embedding', (page: Page) => page.getByText(/cosine similarity/)],
  ] as const)('compares responses of kind %s', async (kind, model, result) => {
    const { page } = stage.visitor;
    await page.goto(asking([model], kind));
    await settled(page);
    await page.getByRole('button', { name: 'Run' }).click();
    await result(page).waitFor();
    await photograph(page, `comparison-${kind.toLowerCase()}-desktop-light`);
  });

  it('is readable through its link without signing in until the link is revoked', async () => {
    const { page } = stage.visitor;
    await page.goto(address);
    await settled(page);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    expect(link).toContain(`${stage.account.url}/shared/comparison#`);
    const stranger = await visit(stage.browser, stage.account.url);
    await stranger.page.goto(link);
    await stranger.page.getByRole('heading', { level: 1, name: 'Stories of the sea' }).waitFor();
    await expect.poll(() => answers(stranger.page).count()).toBe(lanes.length);
    await expectReadable(stranger.page, 'shared-comparison');
    expect(stranger.requested.some((each) => each.includes(link.split('#')[1] ?? '#'))).toBe(false);
    expect(stranger.errors).toEqual([]);
    await page.getByRole('button', { name: 'Revoke link' }).click();
    await page.getByText('Link revoked.').first().waitFor();
    await stranger.page.reload();
    await stranger.page.getByText(/This link is not valid/).waitFor();
    await stranger.close();
    expect(stage.visitor.errors).toEqual([]);
  });
});

/** Connects a provider whose models give different responses. */
async function connectOpenAi({ url, apiKey, provider }: BrowserAccount): Promise<void> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      query: 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { __typename } }',
      variables: { input: { provider: 'openai', apiKey: 'x', baseUrl: provider.url } },
    }),
  });
  expect(await response.json()).toEqual({ data: { connectProvider: { __typename: 'ProviderCredential' } } });
}
