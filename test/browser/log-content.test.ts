import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { toGlobalId } from '../../src/graphql/relay/global-id.ts';
import { settled, visit } from '../harness/chromium.ts';
import { post } from '../harness/graphql-client.ts';
import { joinTeam } from './membership.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const image = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`;
const call = { name: 'weather', arguments: '{"city":"Oslo","days":[1,2,3]}' };
const conversation = {
  model: 'sandbox/chat',
  messages: [
    { role: 'system', content: 'You are a patient assistant.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on this picture? Mail the answer to jane@example.com, please.' },
        { type: 'image_url', image_url: { url: image } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] },
    { role: 'tool', tool_call_id: 'call_1', content: '{"celsius":4,"wind":{"from":"north"}}' },
    { role: 'user', content: `A long text. ${'All work and no play makes a dull log. '.repeat(120)}The end.` },
  ],
  tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }],
};
const answerSchema = z.object({ data: z.object({ usageLog: z.looseObject({ content: z.looseObject({}) }) }) });

const totalsSchema = z.object({ data: z.object({ usage: z.looseObject({ coveredFrom: z.string() }) }) });

describeInBrowser('content in Usage Logs', (stage) => {
  /** @returns the ID of the request's log */
  async function send(body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const { url, apiKey } = stage.account;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    await response.text();
    await stage.logged(response);
    const eventId = eventIdOf(response.headers.get('x-request-id') ?? '') ?? '';
    return toGlobalId('UsageLog', eventId);
  }

  async function logEverything(): Promise<void> {
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: stage.account.cookie },
      body: JSON.stringify({ query: 'mutation { updateContentLogging(input: { level: FULL }) { id } }' }),
    });
    expect(await response.text()).not.toContain('errors');
  }

  const open = async (page: Page, id: string) => {
    await page.goto(`/billing/usage?log=${encodeURIComponent(id)}`);
    const section = page.getByRole('dialog').getByRole('region', { name: 'Content' });
    await section.waitFor();
    return section;
  };

  let full = '';

  it('is shown as messages, with tools, media and what was redacted', async () => {
    await logEverything();
    full = await send(conversation);
    const { page } = stage.visitor;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const section = await open(page, full);
    const request = section.getByRole('region', { name: 'Request' });
    await request.getByText('You are a patient assistant.').waitFor();
    await request.getByText('redacted: email').waitFor();
    await request.getByText('image/png, 2.9 KB').waitFor();
    expect(await request.getByText('The end.').count()).toBe(0);
    await request.getByRole('button', { name: /^Show all [\d,]+ characters$/ }).click();
    await request.getByText('The end.').waitFor();
    await request.getByRole('button', { name: 'Show less' }).click();
    await section.getByRole('region', { name: 'Response' }).getByText('sandbox').first().waitFor();
    await section.getByText('Replaced: ').waitFor();
    await section.scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-content');
  });

  it('opens and closes JSON of tools', async () => {
    const { page } = stage.visitor;
    const request = page.getByRole('dialog').getByRole('region', { name: 'Request' });
    await request.getByText('city: Oslo').waitFor();
    expect(await request.getByText('from: north').count()).toBe(0);
    await request.getByText('wind {1 member}').click();
    await request.getByText('from: north').waitFor();
    await request.getByText('wind {1 member}').click();
    await request.getByText('from: north').waitFor({ state: 'detached' });
    await request.getByText('Calls weather').scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-content-tools');
  });

  it('is shown raw, and copied', async () => {
    const { page } = stage.visitor;
    const section = page.getByRole('dialog').getByRole('region', { name: 'Content' });
    await section.getByRole('tab', { name: 'Raw' }).click();
    await section.getByRole('region', { name: 'Request JSON' }).waitFor();
    await section.getByRole('button', { name: 'Copy the request' }).click();
    await section.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = z
      .object({ messages: z.array(z.looseObject({ content: z.unknown() })) })
      .parse(JSON.parse(await page.evaluate('navigator.clipboard.readText()')));
    expect(copied.messages).toHaveLength(5);
    expect(JSON.stringify(copied)).toContain('The end.');
    expect(JSON.stringify(copied)).toContain('[redacted:email]');
    await section.scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-content-raw');
  });

  it('says that metadata alone, or nothing, was logged', async () => {
    const { page } = stage.visitor;
    const metadata = await open(page, await send(conversation, { 'x-sluice-log': 'metadata' }));
    await metadata.getByText('Only metadata was logged').waitFor();
    await metadata.getByText('[28 characters]').waitFor();
    const nothing = await open(page, await send(conversation, { 'x-sluice-log': 'off' }));
    await nothing.getByText('Not logged', { exact: true }).waitFor();
    await nothing.getByRole('link', { name: 'Content logging settings' }).waitFor();
    await nothing.scrollIntoViewIfNeeded();
    await expectReadable(page, 'log-content-none');
  });

  it.each([
    ['PENDING', 'Pending'],
    ['LOST', 'Lost'],
    ['DROPPED', 'Dropped'],
    ['EXPIRED', 'Expired'],
    ['UNREADABLE', 'Unreadable'],
  ])('says why there is none: %s', async (state, title) => {
    const { page } = stage.visitor;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query LogContent')) return route.fallback();
      const response = await route.fetch();
      const { data } = answerSchema.parse(await response.json());
      Object.assign(data.usageLog.content, { state, level: null, request: null, response: null, redactions: [] });
      return route.fulfill({ response, json: { data } });
    });
    const section = await open(page, full);
    await section.getByText(title, { exact: true }).waitFor();
    expect(await section.getByRole('button').count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('appears by itself once the request is in the log and its content is stored', async () => {
    const { page } = stage.visitor;
    let isInLog = false;
    let isStored = false;
    await page.route('**/graphql', async (route) => {
      const query = route.request().postData() ?? '';
      if (query.includes('query UsageLogDetails') && !isInLog)
        return route.fulfill({ json: { data: { usageLog: null } } });
      if (!query.includes('query LogContent') || isStored) return route.fallback();
      const response = await route.fetch();
      const { data } = answerSchema.parse(await response.json());
      Object.assign(data.usageLog.content, { state: 'PENDING', level: null, request: null, response: null });
      return route.fulfill({ response, json: { data } });
    });
    await page.goto(`/billing/usage?log=${encodeURIComponent(full)}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('If it is still running, it appears here when it finishes.').waitFor();
    await settled(page);
    await expectReadable(page, 'log-not-found');
    isInLog = true;
    await dialog.getByText('This content is being stored.').waitFor();
    isStored = true;
    await dialog.getByText('You are a patient assistant.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('says that it could not be loaded, and loads it again', async () => {
    const { page } = stage.visitor;
    const errors = [{ message: 'The database is not available.', extensions: { code: 'database_unavailable' } }];
    let isHeld = true;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query LogContent')) return route.fallback();
      if (isHeld) await released;
      return route.fulfill({ json: { data: null, errors } });
    });
    const section = await open(page, full);
    await section.getByRole('status', { name: 'Loading' }).waitFor();
    isHeld = false;
    release();
    await section.getByText('The database is not available.').waitFor();
    await settled(page);
    await expectReadable(page, 'log-content-failed');
    await page.unrouteAll({ behavior: 'wait' });
    await section.getByRole('button', { name: 'Try again' }).click();
    await section.getByText('You are a patient assistant.').waitFor();
  });

  it('is found by its words once search is turned on', async () => {
    const { page } = stage.visitor;
    const filters = page.getByRole('search', { name: 'Filter requests' });
    const words = filters.getByRole('searchbox', { name: 'Words in content' });
    await page.goto('/billing/usage');
    await filters.getByRole('searchbox', { name: 'Request ID' }).waitFor();
    expect(await words.count()).toBe(0);
    await page.goto('/settings?tab=content');
    const section = page.getByRole('region', { name: 'Content logging' });
    const option = section.getByRole('checkbox', { name: 'Search in content' });
    expect(await option.isChecked()).toBe(false);
    await section.getByText('the one plaintext copy').waitFor();
    await option.check();
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Content logging updated.').first().waitFor();
    await option.scrollIntoViewIfNeeded();
    await expectReadable(page, 'content-search-setting');
    const id = await send({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Where is the quokkalock?' }] });
    // A search finds what is stored; to read it has it stored.
    const query = 'query ($id: ID!) { usageLog(id: $id) { content { state } } }';
    const { url, cookie } = stage.account;
    await expect
      .poll(async () => (await post(url, { query, variables: { id } }, { cookie })).data)
      .toEqual({ usageLog: { content: { state: 'STORED' } } });
    await page.goto('/billing/usage');
    const { promise: rowsAppeared, resolve: showTotals } = Promise.withResolvers<void>();
    const since = new Date(Date.now() - 86_400_000).toISOString();
    await page.route('**/graphql', async (route) => {
      const query = route.request().postData() ?? '';
      if (!query.includes('query UsageCharts') || !query.includes('quokkalock')) return route.fallback();
      await rowsAppeared;
      const response = await route.fetch();
      const { data } = totalsSchema.parse(await response.json());
      data.usage.coveredFrom = since;
      return route.fulfill({ response, json: { data } });
    });
    await words.fill('"the quokkalock"');
    await page.getByText('1 entry', { exact: false }).first().waitFor();
    await page
      .getByRole('region', { name: 'Usage over time' })
      .getByRole('status', { name: 'Loading' })
      .first()
      .waitFor();
    showTotals();
    await page.getByRole('note').filter({ hasText: 'the latest 50,000 requests that match' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(new URL(page.url()).searchParams.get('text')).toContain('quokkalock');
    const totals = page.getByRole('group', { name: 'Totals' });
    await totals.getByText('request', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    await expectReadable(page, 'content-search');
    await filters.getByRole('button', { name: 'Clear filters' }).click();
    await totals.getByText('requests', { exact: true }).waitFor();
  });

  it('is read, not deleted, by a viewer', async () => {
    const person = { name: 'Vera', email: 'vera.log-content@example.com', password: 'correct-horse-41-battery' };
    const cookie = await joinTeam(stage.account, person, 'VIEWER');
    const { page, close } = await visit(stage.browser, stage.account.url, { cookie });
    const section = await open(page, full);
    await section.getByText('You are a patient assistant.').waitFor();
    expect(await section.getByRole('button', { name: 'Delete content' }).count()).toBe(0);
    await close();
  });

  it('is deleted once that is confirmed', async () => {
    const { page } = stage.visitor;
    const section = await open(page, full);
    await section.getByRole('button', { name: 'Delete content' }).click();
    const confirmation = page.getByRole('dialog', { name: 'Delete the content of this request?' });
    await settled(page);
    await expectReadable(page, 'log-content-delete');
    await confirmation.getByRole('button', { name: 'Cancel' }).click();
    await section.getByText('You are a patient assistant.').waitFor();
    await section.getByRole('button', { name: 'Delete content' }).click();
    await confirmation.getByRole('button', { name: 'Delete content' }).click();
    await section.getByText('A member of the account deleted this content.').waitFor();
    await page.reload();
    await section.getByText('Deleted', { exact: true }).waitFor();
  });
});
