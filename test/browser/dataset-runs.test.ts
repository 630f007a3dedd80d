import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { toGlobalId } from '../../src/graphql/relay/global-id.ts';
import { settled, visit } from '../harness/chromium.ts';
import { completion } from '../harness/fake-provider.ts';
import { parseCsv } from '../harness/parse-csv.ts';
import { joinTeam } from './membership.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const data = z.object({ data: z.record(z.string(), z.unknown()) });
const withId = z.looseObject({ id: z.string() });
/** A model, and a route to it. */
const [FIRST, SECOND] = ['sandbox/chat', 'everyones'] as const;

describeInBrowser('runs of a dataset', (stage) => {
  let datasetUrl = '';

  async function graphql(query: string, variables: object = {}): Promise<Record<string, unknown>> {
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: stage.account.cookie },
      body: JSON.stringify({ query, variables }),
    });
    return data.parse(await response.json()).data;
  }

  /** @returns the ID of its `UsageLog`, once that is stored */
  async function log(body: object): Promise<string> {
    const { url, apiKey } = stage.account;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', max_tokens: 10, ...body }),
    });
    expect(response.status, await response.text()).toBe(200);
    const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
    const read = 'query ($id: ID!) { usageLog(id: $id) { id } }';
    await vi.waitUntil(async () => (await graphql(read, { id })).usageLog !== null, 120_000);
    return id;
  }

  /** @returns its path */
  async function createDataset(name: string, usageLogIds: readonly string[]): Promise<string> {
    const created = await graphql('mutation ($name: String!) { createDataset(name: $name) { id } }', { name });
    const { id } = withId.parse(created.createDataset);
    const added = await graphql('mutation ($input: AddToDatasetInput!) { addToDataset(input: $input) { added } }', {
      input: { datasetId: id, usageLogIds },
    });
    expect(added).toEqual({ addToDataset: { added: usageLogIds.length } });
    return `/datasets/${id}`;
  }

  beforeAll(async () => {
    await graphql('mutation { updateContentLogging(input: { level: FULL }) { id } }');
    await graphql('mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { __typename } }', {
      input: { provider: 'openai', apiKey: 'x', baseUrl: stage.account.provider.url },
    });
    stage.account.provider.answerWith(completion());
    const grammar = { syntax: 'lark', definition: 'start: "yes" | "no"' };
    const tools = [{ type: 'custom', custom: { name: 'decide', format: { type: 'grammar', grammar } } }];
    datasetUrl = await createDataset('Support questions', [
      await log({ messages: [{ role: 'user', content: 'What is a sluice?' }] }),
      await log({ messages: [{ role: 'user', content: 'Write about the sea.' }] }),
      // The sandbox refuses Lark grammars.
      await log({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'Is it true?' }], tools }),
    ]);
  });

  it('begin empty, and explain what a run does', async () => {
    const { page } = stage.visitor;
    await page.goto(datasetUrl);
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByText('No runs yet').waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('runs');
    await expectReadable(page, 'dataset-runs-empty');
  });

  it('start from a form that says what is wrong, and how many requests it sends', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: 'Run against models' }).first().click();
    const form = page.getByRole('dialog', { name: 'Run against models' });
    await form.getByLabel('Name').fill('Two models');
    await form.getByRole('button', { name: 'Start run' }).click();
    await form.getByText('Add at least one model.').waitFor();
    for (const model of [FIRST, SECOND]) {
      await form.getByRole('button', { name: 'Add model' }).click();
      await page.getByPlaceholder('Find a model …').fill(model);
      await page.getByRole('option').filter({ hasText: model }).first().click();
      await form.getByRole('button', { name: `Remove ${model}` }).waitFor();
    }
    await form.getByText('6 requests').waitFor();
    await form.getByRole('checkbox', { name: 'Exact match' }).check();
    await form.getByRole('checkbox', { name: 'Contains' }).check();
    // Twice as many as the expected outputs have.
    await form.getByLabel('Max tokens').fill('20');
    await settled(page);
    await expectReadable(page, 'dataset-run-form');
    await form.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Two models' }).waitFor();
  });

  it('show their progress, then the models compared', async () => {
    const { page } = stage.visitor;
    await page.getByRole('status').filter({ hasText: 'Completed' }).waitFor();
    await page.getByRole('region', { name: 'Progress' }).waitFor({ state: 'detached' });
    const table = page.getByRole('table', { name: 'Models of the run' });
    const rows = table.getByRole('row');
    expect(await rows.count()).toBe(3);
    for (const [at, model] of [FIRST, SECOND].entries()) {
      const row = rows.nth(at + 1);
      await row.getByRole('rowheader').getByText(model).waitFor();
      expect((await row.getByRole('cell').allTextContents()).slice(0, 4)).toEqual(['0% of 2', '100% of 2', '2', '1']);
    }
    await page.getByRole('region', { name: 'Errors' }).getByText('unsupported_value').first().waitFor();
    await settled(page);
    await expectReadable(page, 'dataset-run');
  });

  it('sort the models, and export them as CSV', async () => {
    const { page } = stage.visitor;
    const table = page.getByRole('table', { name: 'Models of the run' });
    await table.getByRole('button', { name: 'Model', exact: true }).click();
    await expect
      .poll(() => table.getByRole('rowheader').allTextContents())
      .toEqual([expect.stringContaining(SECOND), expect.stringContaining(FIRST)]);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('model');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const lines = parseCsv(await readFile(await download.path(), 'utf8'));
    const expected = {
      requests: '3',
      score_exact_match: '0',
      score_contains: '1',
      score_contains_count: '2',
      completed: '2',
      failed: '1',
    };
    expect(lines).toEqual([
      expect.objectContaining({ model: FIRST, ...expected }),
      expect.objectContaining({ model: SECOND, ...expected }),
    ]);
  });

  it('show input, expected output, outputs and scores of each item, and the request behind them', async () => {
    const { page } = stage.visitor;
    const results = page.getByRole('list', { name: 'Results' }).getByRole('article');
    expect(await results.count()).toBe(3);
    const first = results.nth(0);
    await first.getByText('What is a sluice?').waitFor();
    await first.getByRole('region', { name: FIRST, exact: true }).getByText('Contains 100%').waitFor();
    await page.getByRole('checkbox', { name: 'Only failed' }).check();
    await expect.poll(() => results.count()).toBe(1);
    await results.nth(0).getByText('unsupported_value').first().waitFor();
    await page.reload();
    await results.nth(0).getByText('Is it true?').waitFor();
    expect(await results.count()).toBe(1);
    await page.getByRole('checkbox', { name: 'Only failed' }).uncheck();
    await page.getByRole('checkbox', { name: 'Only different outputs' }).check();
    await page.getByText('No matching results').waitFor();
    await page.getByRole('checkbox', { name: 'Only different outputs' }).uncheck();
    await page.getByRole('checkbox', { name: 'Mark differences from the expected output' }).check();
    await first.getByRole('region', { name: FIRST, exact: true }).getByRole('insertion').waitFor();
    await expectReadable(page, 'dataset-run-results');
    await first.getByRole('button', { name: 'Show in full Item 1' }).click();
    await first.getByRole('button', { name: 'Show less Item 1' }).waitFor();
    await first.getByRole('region', { name: FIRST, exact: true }).getByRole('link', { name: 'Usage log' }).click();
    await page.getByRole('dialog').getByRole('region', { name: 'Content' }).getByText('What is a sluice?').waitFor();
  });

  it('start again with the same settings', async () => {
    const { page } = stage.visitor;
    await page.goto(`${datasetUrl}?tab=runs`);
    await page.getByRole('table', { name: 'Runs' }).getByRole('button', { name: 'Two models' }).click();
    await page.getByRole('link', { name: 'Run again' }).click();
    const form = page.getByRole('dialog', { name: 'Run against models' });
    for (const model of [FIRST, SECOND]) await form.getByRole('button', { name: `Remove ${model}` }).waitFor();
    expect(await form.getByRole('checkbox', { name: 'Exact match' }).isChecked()).toBe(true);
    expect(await form.getByRole('checkbox', { name: 'Contains' }).isChecked()).toBe(true);
    expect(await form.getByRole('checkbox', { name: 'JSON match' }).isChecked()).toBe(false);
    expect(await form.getByLabel('Max tokens').inputValue()).toBe('20');
    expect(await form.getByLabel('Temperature').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ tab: 'runs' });
  });

  it('are not started for a dataset without items, which says so', async () => {
    const { page } = stage.visitor;
    const created = await graphql('mutation { createDataset(name: "Empty") { id } }');
    await page.goto(`/datasets/${withId.parse(created.createDataset).id}`);
    await page.getByText('Add items to run it against models.').waitFor();
    expect(await page.getByRole('button', { name: 'Run against models' }).isDisabled()).toBe(true);
  });

  it('are read, not started or deleted, by a viewer', async () => {
    const viewer = { name: 'Vera', email: `vera-${Date.now()}@example.com`, password: 'correct horse battery' };
    const cookie = await joinTeam(stage.account, viewer, 'VIEWER');
    const { page, close } = await visit(stage.browser, stage.account.url, { cookie });
    await page.goto(`${datasetUrl}?tab=runs`);
    await page.getByRole('table', { name: 'Runs' }).getByRole('button', { name: 'Two models' }).click();
    await page.getByRole('list', { name: 'Results' }).getByText('What is a sluice?').first().waitFor();
    for (const name of ['Delete run', 'Cancel run', 'Run against models'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await close();
  });

  it('are cancelled once that is confirmed', async () => {
    const { page } = stage.visitor;
    const long = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        log({ messages: [{ role: 'user', content: `Write a story of 2000 words about the number ${index}.` }] }),
      ),
    );
    await page.goto(`${await createDataset('Long answers', long)}?start=true&models=["${FIRST}","${SECOND}"]`);
    const form = page.getByRole('dialog', { name: 'Run against models' });
    await form.getByText('200 requests').waitFor();
    await form.getByLabel('Name').fill('Too long');
    await form.getByLabel('Max tokens').fill('2000');
    await form.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('region', { name: 'Progress' }).getByText('of 100').first().waitFor();
    await settled(page);
    await expectReadable(page, 'dataset-run-running');
    let failures = 0;
    await page.route('**/graphql', async (route) => {
      if (failures > 0 || !route.request().postData()?.includes('query DatasetRunPage')) return route.fallback();
      failures += 1;
      const errors = [{ message: 'The database is not available.', extensions: { code: 'database_unavailable' } }];
      return route.fulfill({ json: { data: { datasetRun: null }, errors } });
    });
    const failure = page.getByText('The database is not available.');
    await failure.waitFor();
    await page.getByRole('heading', { level: 1, name: 'Too long' }).waitFor();
    await failure.waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
    const results = page.getByRole('list', { name: 'Results' });
    await results.getByRole('article').nth(9).waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await results.getByRole('article').nth(19).waitFor();
    await results.getByText('Pending', { exact: true }).first().waitFor();
    await page.getByText('These results are updated when the run ends.').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('dialog', { name: 'Cancel this run?' }).getByRole('button', { name: 'Cancel run' }).click();
    await page.getByText('No more requests of the run are started.').first().waitFor();
    await page.getByRole('status').filter({ hasText: 'Cancelled' }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0);
    await expect.poll(() => results.getByText('Pending', { exact: true }).count()).toBe(0);
    expect(await results.getByRole('article').count()).toBe(20);
  });

  it('are deleted once that is confirmed', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: 'Delete run' }).click();
    await page.getByRole('dialog', { name: 'Delete Too long?' }).getByRole('button', { name: 'Delete run' }).click();
    await page.getByText('No runs yet').waitFor();
    await page.goto(`${datasetUrl}?tab=runs`);
    await page.getByRole('table', { name: 'Runs' }).getByRole('button', { name: 'Two models' }).waitFor();
    await expectReadable(page, 'dataset-runs');
  });

  it('keep the outputs of items that are removed', async () => {
    const id = datasetUrl.split('/').at(-1);
    const found = await graphql('query ($id: ID!) { dataset(id: $id) { items(first: 1) { nodes { id } } } }', { id });
    const { items } = z.object({ items: z.object({ nodes: z.array(withId) }) }).parse(found.dataset);
    await graphql('mutation ($id: ID!, $itemIds: [ID!]!) { removeDatasetItems(id: $id, itemIds: $itemIds) { id } }', {
      id,
      itemIds: items.nodes.map((item) => item.id),
    });
    const { page } = stage.visitor;
    await page.getByRole('table', { name: 'Runs' }).getByRole('button', { name: 'Two models' }).click();
    const first = page.getByRole('list', { name: 'Results' }).getByRole('article').nth(0);
    await first.getByTitle('The item was removed from the dataset.').first().waitFor();
    expect(await first.getByTitle('The item was removed from the dataset.').count()).toBe(2);
    await first.getByRole('region', { name: FIRST, exact: true }).getByText('Contains 100%').waitFor();
  });

  it('compare models over the items that all of them completed, unless the viewer wants the others, too', async () => {
    const { page } = stage.visitor;
    const id = datasetUrl.split('/').at(-1);
    // OpenAI accepts the grammar that the sandbox refuses.
    const input = {
      datasetId: id,
      name: 'Different items',
      models: [FIRST, 'openai/gpt-4.1'],
      scorers: ['JSON_VALID'],
    };
    const run = await graphql('mutation ($input: CreateDatasetRunInput!) { createDatasetRun(input: $input) { id } }', {
      input,
    });
    // The path of links of earlier versions.
    await page.goto(`${datasetUrl}/runs/${withId.parse(run.createDatasetRun).id}`);
    await page.getByRole('heading', { level: 1, name: 'Different items' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/datasets\/runs\//);
    await page.getByRole('status').filter({ hasText: 'Completed' }).waitFor();
    const onlyCommon = page.getByRole('checkbox', { name: 'Only the 1 of 2 items that all models completed' });
    await onlyCommon.waitFor();
    expect(await onlyCommon.isChecked()).toBe(true);
    const row = page.getByRole('table', { name: 'Models of the run' }).getByRole('row').nth(2);
    const score = (): Promise<string | null> => row.getByRole('cell').first().textContent();
    expect(await score()).toMatch(/of 1$/);
    const best = page.getByRole('table', { name: 'Models of the run' }).getByText('Best:');
    // Requests, cost and durations.
    expect(await best.count()).toBeGreaterThan(3);
    await settled(page);
    await expectReadable(page, 'dataset-run-common');
    await onlyCommon.uncheck();
    await expect.poll(score).toMatch(/of 2$/);
    expect(new URL(page.url()).searchParams.get('own')).toBe('true');
    expect(await best.count()).toBe(2);
  });

  it('have their outputs judged by a model that is selected with a rubric, and show its reasons', async () => {
    const { page } = stage.visitor;
    const judged = {
      role: 'assistant',
      content: '{"reason": "It answers the question.", "score": 0.75}',
      refusal: null,
    };
    const judgement = completion({ choices: [{ index: 0, message: judged, finish_reason: 'stop' }] });
    const unusable = completion();
    stage.account.provider.answerWith((request, response) => {
      const isOfGrammar = request.body.includes('Is it true?');
      return (request.json.model === 'gpt-4o' && !isOfGrammar ? judgement : unusable)(request, response);
    });
    await page.goto(`${datasetUrl}?start=true&models=["openai/gpt-4.1"]`);
    const form = page.getByRole('dialog', { name: 'Run against models' });
    await form.getByLabel('Name').fill('Judged');
    await form.getByRole('button', { name: 'Add judge' }).click();
    await page.getByPlaceholder('Find a model …').fill('openai/gpt-4o');
    await page.getByRole('option').filter({ hasText: 'openai/gpt-4o' }).first().click();
    await form.getByRole('button', { name: 'Remove openai/gpt-4o', exact: true }).waitFor();
    await form.getByText('and up to 2 requests of the judge').waitFor();
    const estimate = form.getByRole('table', { name: 'Estimated cost' });
    await estimate.getByRole('row').filter({ hasText: 'openai/gpt-4o (judge)' }).getByText('$0.0').waitFor();
    await estimate.getByRole('row').filter({ hasText: 'Total' }).getByText('$0.0').waitFor();
    await form.getByText('answers of 120 tokens from the judge').waitFor();
    await form.getByLabel('Rubric').fill('It answers the question politely.');
    await estimate.scrollIntoViewIfNeeded();
    await settled(page);
    await expectReadable(page, 'dataset-run-form-judge');
    await form.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Judged' }).waitFor();
    await page.getByRole('status').filter({ hasText: 'Completed' }).waitFor();
    await page.getByRole('region', { name: 'Judge' }).getByText('It answers the question politely.').waitFor();
    const row = page.getByRole('table', { name: 'Models of the run' }).getByRole('row').nth(1);
    expect(await row.getByRole('cell').first().textContent()).toBe('75% of 1');
    await page.getByRole('region', { name: 'Errors' }).getByText('judge_output_invalid').first().waitFor();
    const results = page.getByRole('list', { name: 'Results' }).getByRole('article');
    await results.nth(0).getByText('Judge 75%').waitFor();
    await results.nth(0).getByText('It answers the question.').waitFor();
    await results.nth(1).getByText('judge_output_invalid').waitFor();
    await settled(page);
    await expectReadable(page, 'dataset-run-judged');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const [line] = parseCsv(await readFile(await download.path(), 'utf8'));
    expect(line).toMatchObject({ score_judge: '0.75', score_judge_count: '1', judge_failed: '1' });
    expect(Number(line?.judge_cost_usd)).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Run again' }).click();
    await form.getByRole('button', { name: 'Remove openai/gpt-4o', exact: true }).waitFor();
    expect(await form.getByLabel('Rubric').inputValue()).toBe('It answers the question politely.');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ tab: 'runs' });
    stage.account.provider.answerWith(completion());
  });

  it('are listed for all datasets, deleted ones included, whose runs keep their figures', async () => {
    const { page } = stage.visitor;
    await page.goto(datasetUrl);
    await page.getByRole('button', { name: 'Delete dataset' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete dataset' }).click();
    await page.getByRole('heading', { level: 1, name: 'Datasets' }).waitFor();
    await page.getByRole('link', { name: 'All runs' }).click();
    const table = page.getByRole('table', { name: 'Runs' });
    const row = table.getByRole('row').filter({ hasText: 'Two models' });
    await row.getByRole('cell', { name: 'Deleted' }).waitFor();
    await row.getByText(`${FIRST}, ${SECOND}`).waitFor();
    await row.getByText('6 of 6, 2 failed').waitFor();
    await expectReadable(page, 'dataset-runs-all');
    await table.getByRole('button', { name: 'Two models' }).click();
    await page.getByText('The dataset was deleted').waitFor();
    await page.getByRole('table', { name: 'Models of the run' }).getByRole('rowheader').getByText(SECOND).waitFor();
    expect(await page.getByRole('link', { name: 'Run again' }).count()).toBe(0);
    await expectReadable(page, 'dataset-run-of-deleted-dataset');
    await page.getByRole('link', { name: 'All runs' }).click();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  });
});
