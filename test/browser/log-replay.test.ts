import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { toGlobalId } from '../../src/graphql/relay/global-id.ts';
import { settled } from '../harness/chromium.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const image = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`;
const called = { name: 'weather', arguments: '{"city":"Oslo"}' };
const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];
const conversation = {
  model: 'sandbox/chat',
  temperature: 0.25,
  max_tokens: 60,
  presence_penalty: 0.5,
  user: 'customer-7',
  tools,
  messages: [
    { role: 'system', content: 'You are a patient assistant.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is on this picture? I am jane@example.com.' },
        { type: 'image_url', image_url: { url: image } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    { role: 'assistant', content: 'It rains in Oslo.' },
    { role: 'user', content: 'And tomorrow?' },
  ],
};

describeInBrowser('a logged request that is opened again', (stage) => {
  async function send(path: string, body: object): Promise<string> {
    const { url, apiKey } = stage.account;
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBe(200);
    await stage.logged(response);
    return toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
  }

  const openDetails = async (page: Page, id: string) => {
    await page.goto(`/billing/usage?log=${encodeURIComponent(id)}`);
    const content = page.getByRole('dialog').getByRole('region', { name: 'Content' });
    await content.getByRole('link', { name: 'Open in playground' }).waitFor();
    return content;
  };

  let id = '';

  it('fills the playground, and says what it lacks', async () => {
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: stage.account.cookie },
      body: JSON.stringify({ query: 'mutation { updateContentLogging(input: { level: FULL }) { id } }' }),
    });
    expect(await response.text()).not.toContain('errors');
    id = await send('/v1/chat/completions', conversation);
    const { page } = stage.visitor;
    const content = await openDetails(page, id);
    await content.getByRole('link', { name: 'Open in playground' }).click();
    const notice = page.getByRole('region', { name: 'Logged request' });
    await notice.getByText('Texts remain redacted: email').waitFor();
    await notice.getByText('Not included: messages[1].content[1], user.').waitFor();
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('I am [redacted:email].').waitFor();
    await log.getByText('Result: rain').waitFor();
    await log.getByText('It rains in Oslo.').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('And tomorrow?');
    expect(await page.getByLabel('System prompt').inputValue()).toBe('You are a patient assistant.');
    expect(await page.getByLabel('Temperature').inputValue()).toBe('0.25');
    expect(await page.getByLabel('Max tokens').inputValue()).toBe('60');
    expect(JSON.parse(await page.getByLabel('Tools').inputValue())).toEqual(tools);
    expect(JSON.parse(await page.getByLabel('Other parameters').inputValue())).toEqual({ presence_penalty: 0.5 });
    await settled(page);
    await expectReadable(page, 'replay-playground');
  });

  it('is sent again with its history', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('Finish reason').waitFor();
    await page.getByRole('button', { name: 'View code' }).click();
    const code = page.getByRole('dialog', { name: 'Code for this request' });
    for (const text of ['It rains in Oslo.', 'And tomorrow?', 'call_1', 'presence_penalty'])
      await code.getByText(text).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close notice' }).click();
    await page.getByRole('region', { name: 'Logged request' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('replay')).toBeNull();
  });

  it('asks for the results of its last tools, which are filled in', async () => {
    const pending = { ...conversation, messages: conversation.messages.slice(0, 4) };
    const { page } = stage.visitor;
    const content = await openDetails(page, await send('/v1/chat/completions', pending));
    await content.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByLabel('Result of weather').waitFor();
    expect(await page.getByLabel('Result of weather').inputValue()).toBe('rain');
    await page.getByRole('button', { name: 'Submit results' }).click();
    await page.getByRole('log', { name: 'Conversation' }).getByText('Finish reason').waitFor();
  });

  it('fills the comparator with its earlier messages', async () => {
    const { page } = stage.visitor;
    const content = await openDetails(page, id);
    await content.getByRole('link', { name: 'Compare models' }).click();
    await page.getByText('5 earlier messages').click();
    await page.getByRole('region', { name: 'Earlier messages' }).getByText('It rains in Oslo.').waitFor();
    expect(await page.getByLabel('Prompt').inputValue()).toBe('And tomorrow?');
    await page.getByText('Parameters for all models').click();
    expect(await page.getByLabel('Temperature').inputValue()).toBe('0.25');
    await settled(page);
    await expectReadable(page, 'replay-comparator');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/compare\/[\w-]+$/);
    await page.getByText('And tomorrow?').first().waitFor();
  });

  it('says why it cannot be opened', async () => {
    const { page } = stage.visitor;
    const content = await openDetails(
      page,
      await send('/v1/completions', { model: 'sandbox/chat', prompt: ['a', 'b'] }),
    );
    await content.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByRole('alert').getByText('has 2 texts').waitFor();
    await expectReadable(page, 'replay-refused');
    await page.getByRole('link', { name: 'Show the request in the usage log' }).click();
    await page.getByRole('dialog').waitFor();
  });
});
