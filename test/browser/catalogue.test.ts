import { expect, it } from 'vitest';
import { completion, json } from '../harness/fake-provider.ts';
import { post } from '../harness/graphql-client.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const MODEL = 'openai/gpt-5-codex';
const modelList = (...ids: string[]) => json(200, { object: 'list', data: ids.map((id) => ({ id })) });

describeInBrowser('the catalogue of models', (stage) => {
  const ask = async (query: string, variables: object = {}) =>
    (await post(stage.account.url, { query, variables }, { cookie: stage.account.cookie })).data ?? {};
  let requestId: string;

  it('is filtered and sorted, with its state in the URL', async () => {
    const { page } = stage.visitor;
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await ask(connect, { input: { provider: 'openai', apiKey: 'key', baseUrl: stage.account.provider.url } });
    await page.goto('/models');
    const total = page.getByRole('status').filter({ hasText: /^\d+ models?$/ });
    const listed = async (): Promise<number> => Number.parseInt(await total.innerText(), 10);
    await total.waitFor();
    const all = await listed();
    const find = page.getByRole('search', { name: 'Find models' });
    await find.getByLabel('Output modality').selectOption('image');
    await expect.poll(listed).toBeLessThan(all);
    await find.getByLabel('Input price').selectOption('10');
    await find.getByLabel('Context window').selectOption('128000');
    await page.getByText('No matching models').waitFor();
    expect(new URL(page.url()).search).toMatch(/output=image/);
    await page.reload();
    await expect.poll(() => find.getByLabel('Context window').inputValue()).toBe('128000');
    await expectReadable(page, 'models-no-match');
    await find.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(listed).toBe(all);
    await find.getByLabel('Find by name').fill('codex 5');
    await find.getByLabel('Order').selectOption('INPUT_PRICE');
    await page.getByRole('row').filter({ hasText: MODEL }).first().waitFor();
    await expect.poll(listed).toBeLessThan(20);
    await page.getByText('Shut down 23 Jul 2026').first().waitFor();
    await expectReadable(page, 'models-filtered');
  });

  it('compares eight models, of which one has no price', async () => {
    const { page } = stage.visitor;
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await ask(connect, { input: { provider: 'groq', apiKey: 'key', baseUrl: stage.account.provider.url } });
    const query =
      'query ($first: Int!) { models(filter: { provider: "groq" }, first: $first) { nodes { id isUnpriced pricing { version } } } }';
    const nodes: { id: string; isUnpriced: boolean }[] = (await ask(query, { first: 100 })).models.nodes;
    const unpriced = nodes.filter(({ isUnpriced }) => isUnpriced).slice(0, 1);
    expect(unpriced).toMatchObject([{ pricing: null }]);
    const priced = nodes.filter(({ isUnpriced }) => !isUnpriced).slice(0, 6);
    const ids = ['sandbox/chat', ...[...unpriced, ...priced].map(({ id }) => id), 'openai/one-too-many'];
    await page.goto(`/models/compare?ids=${encodeURIComponent(JSON.stringify(ids))}`);
    const table = page.getByRole('table');
    await expect.poll(() => table.getByRole('columnheader').count()).toBe(8);
    const prices = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'Price', exact: true }) });
    await prices.getByRole('cell', { name: 'Free of charge' }).waitFor();
    await prices.getByRole('cell', { name: 'No price' }).waitFor();
    await expectReadable(page, 'models-compared');
  });

  it('is filtered by region and data policy, which the owner of a connection states', async () => {
    const { page } = stage.visitor;
    await page.goto('/providers?provider=openai');
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    const stated = drawer.getByRole('group', { name: 'Region and data policy' });
    await stated.getByLabel('Region').fill('eu');
    await stated.getByLabel('Training on your data').selectOption('no');
    await stated.getByLabel('Retention (days)').fill('0');
    await expectReadable(page, 'provider-policy-form');
    stage.account.provider.answerWith(modelList('gpt-4.1', 'gpt-5-codex'));
    await drawer.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('Connection updated.').first().waitFor();
    await page.goto('/models');
    const find = page.getByRole('search', { name: 'Find models' });
    await find.getByLabel('Region').selectOption('eu');
    await find.getByLabel('Data policy').selectOption('no');
    await find.getByLabel('Retention').selectOption('0');
    await page
      .getByRole('status')
      .filter({ hasText: /^2 models$/ })
      .waitFor();
    expect(new URL(page.url()).search).toMatch(/region=eu.*training=no.*retention=/);
    await page.getByText('eu, Does not train, Zero retention').first().waitFor();
    await expectReadable(page, 'models-by-policy');
    await page.goto('/models/openai/gpt-4.1');
    const facts = page.getByRole('region', { name: 'Region and data policy' });
    await facts.getByText('Stated by the owner of the connection').waitFor();
    await expectReadable(page, 'model-policy');
  });

  it('shows the keys that used a deprecated model, and warns of it in their details and in the log', async () => {
    const { page } = stage.visitor;
    stage.account.provider.answerWith(completion());
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(response.status).toBe(200);
    requestId = response.headers.get('x-request-id') ?? '';
    const logged = '{ usageLogs(first: 10) { nodes { id requestId apiKey { id name } } } }';
    await expect.poll(async () => (await ask(logged)).usageLogs.nodes).toMatchObject([{ requestId }]);
    const [{ id, apiKey }] = (await ask(logged)).usageLogs.nodes;
    await page.goto(`/models/${MODEL}`);
    const section = page.getByRole('region', { name: 'Deprecation' });
    await section.getByRole('link', { name: 'openai/gpt-5.4' }).waitFor();
    await section.getByText('Announced 22 Apr 2026').waitFor();
    const keys = section.getByRole('list', { name: 'Keys that used it in the last 30 days' });
    await keys.getByText('1 request').waitFor();
    await expectReadable(page, 'model-deprecated');
    await keys.getByRole('link', { name: apiKey.name }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('region', { name: 'Deprecated models' }).getByText(MODEL).waitFor();
    await expectReadable(page, 'key-deprecated-models');
    await page.goto(`/billing/usage?log=${encodeURIComponent(id)}`);
    await drawer.getByText(`${MODEL}: Shut down 23 Jul 2026`, { exact: false }).waitFor();
  });

  it('tells when each step of a request happened', async () => {
    const { page } = stage.visitor;
    const timeline = page.getByRole('dialog').getByRole('list', { name: 'Timeline' });
    const names = ['Received', 'Admitted', 'Attempt 1 sent', 'Response complete', 'Settled'];
    for (const name of names) await timeline.getByText(name, { exact: true }).waitFor();
    await timeline.scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-timeline');
    expect(stage.visitor.errors).toEqual([]);
  });
});
