import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider(completion());
  gateway = await startGateway({ providers: { deepseek: provider.url, moonshot: provider.url, groq: provider.url } });
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

/** The reasoning in the assistant's messages that the provider receives. */
async function sent(path: string, body: object): Promise<unknown[]> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status, await response.text()).toBe(200);
  const messages: { role: string; reasoning_content?: unknown }[] = JSON.parse(
    JSON.stringify(provider.requests.at(-1)?.json.messages),
  );
  return messages.filter(({ role }) => role === 'assistant').map((message) => message.reasoning_content);
}

const user = { role: 'user', content: 'How is the weather?' };
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
const result = { role: 'tool', tool_call_id: 'call_1', content: 'sunny' };
const calling = { role: 'assistant', content: null, tool_calls: [call] };
const said = { role: 'assistant', content: 'It is sunny.' };
const unsigned = { type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'I look.' };

describe.each(['deepseek', 'moonshot'])('%s', (id) => {
  const chat = (...messages: object[]): Promise<unknown[]> =>
    sent('/v1/chat/completions', { model: `${id}/thinking`, messages: [user, ...messages] });

  it.each<[string, object, string]>([
    ['that the client returned', { reasoning_content: 'As it was.' }, 'As it was.'],
    ['by another name', { reasoning: 'As it was.' }, 'As it was.'],
    ['that no provider signed', { reasoning_details: [unsigned, { ...unsigned, text: 'Then…' }] }, 'I look.\n\nThen…'],
    ['without what another provider signed', { reasoning_details: [{ ...unsigned, signature: 'c2ln' }] }, ''],
    ['that is empty where the client returned none', {}, ''],
  ])('receives the reasoning of a message with calls, %s', async (_name, members, expected) => {
    expect(await chat({ ...calling, ...members }, result)).toEqual([expected]);
  });

  it('receives none with a message without calls', async () => {
    expect(await chat(said, user)).toEqual([undefined]);
  });

  it('receives the thinking that a client of Messages returns', async () => {
    const content = [
      { type: 'thinking', thinking: 'I look.', signature: '' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
    ];
    const results = [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }];
    const messages = [user, { role: 'assistant', content }, { role: 'user', content: results }];
    expect(await sent('/v1/messages', { model: `${id}/thinking`, max_tokens: 100, messages })).toEqual(['I look.']);
  });

  it('receives it with the calls of a client of Gemini', async () => {
    const contents = [
      { role: 'user', parts: [{ text: 'How is the weather?' }] },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { output: 'sunny' } } }] },
    ];
    expect(await sent(`/v1beta/models/${id}/thinking:generateContent`, { contents })).toEqual(['']);
  });
});

it('is not added for a provider that does not read it', async () => {
  expect(await sent('/v1/chat/completions', { model: 'groq/m', messages: [user, calling, result] })).toEqual([
    undefined,
  ]);
});
