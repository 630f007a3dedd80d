import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { messageOf } from './ask.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const model = 'anthropic/claude-haiku-4-5';
let provider: FakeProvider;
let gateway: TestGateway;

beforeEach(async () => {
  provider = await startFakeProvider(json(200, messageOf([{ type: 'text', text: 'Hi' }])));
  const anthropic = { baseUrl: provider.url, options: { prompt_caching: 'auto' } };
  gateway = await startGateway({ providers: { anthropic } });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

function openai(): OpenAI {
  return new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

describe('`prompt_caching: auto` of Anthropic', () => {
  it('marks the end of the instructions and of the conversation', async () => {
    await openai().chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And' },
            { type: 'text', text: 'then?' },
          ],
        },
      ],
    });
    expect(provider.requests[0]?.json).toMatchObject({
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'And' },
            { type: 'text', text: 'then?', ...mark },
          ],
        },
      ],
    });
    expect(provider.requests[0]?.body.split('cache_control')).toHaveLength(3);
  });

  it('marks the last tool where there are no instructions, and a tool result at the end', async () => {
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } };
    await openai().chat.completions.create({
      model,
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      ],
      tools: [
        { type: 'function', function: { name: 'find' } },
        { type: 'function', function: { name: 'look' } },
      ],
    });
    const [received] = provider.requests;
    expect(received?.json.tools).toEqual([
      expect.not.objectContaining(mark),
      expect.objectContaining({ name: 'look', ...mark }),
    ]);
    expect(received?.json.messages).toMatchObject([{}, {}, { content: [{ type: 'tool_result', ...mark }] }]);
  });

  it('leaves a request with marks of its own unchanged', async () => {
    const marked = { type: 'text' as const, text: 'Hello', cache_control: { type: 'ephemeral', ttl: '1h' } };
    await openai().chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [marked] },
        { role: 'assistant', content: 'Hi' },
        { role: 'user', content: 'And then?' },
      ],
    });
    expect(provider.requests[0]?.body.split('cache_control')).toHaveLength(2);
  });

  it('leaves requests in Anthropic’s own protocol unchanged', async () => {
    const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
    await client.messages.create({ model, max_tokens: 8, messages: [{ role: 'user', content: 'Hello' }] });
    expect(provider.requests[0]?.body).not.toContain('cache_control');
  });

  it.each(['anthropic', 'google-vertex', 'amazon-bedrock'])('is refused with another value: %s', (id) => {
    const settings = { id, apiKey: 'k', baseUrl: undefined, connectTimeoutMs: 60_000 };
    expect(() =>
      openConnection(id, { ...settings, options: { region: 'eu-central-1', prompt_caching: 'yes' } }),
    ).toThrow('must be `auto` or `off`');
  });
});
