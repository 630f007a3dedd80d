import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CacheAffinity } from '../../../../src/gateway/routing/selection/cache-affinity.ts';
import type { ReceivedRequest, Script } from '../../../harness/fake-provider.ts';
import { completion, refusal, startFakeProvider, usage, type FakeProvider } from '../../../harness/fake-provider.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { key, secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const config = `
routes:
  spread:
    order: weighted
    targets: [first/model, second/model]
  quick:
    order: latency
    targets: [first/model, second/model]
  free:
    order: weighted
    affinity: none
    targets: [first/model, second/model]
`;

interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

const CHARACTERS_PER_TOKEN = 4;
const tokensOf = (messages: readonly Message[]): number =>
  messages.reduce((sum, { content }) => sum + Math.ceil(content.length / CHARACTERS_PER_TOKEN), 0);

/** Caches prompts as OpenAI does: by prefix, per account at the provider, which its key names, in steps of 128 tokens. */
function cachingProvider(): Script {
  const knownOf = new Map<string, Set<string>>();
  return ({ json, headers: { authorization = '' } }: ReceivedRequest, response) => {
    const known = knownOf.get(authorization) ?? new Set();
    knownOf.set(authorization, known);
    const messages: Message[] = JSON.parse(JSON.stringify(json.messages));
    let cached = 0;
    for (let count = 1; count <= messages.length; count++) {
      const prefix = JSON.stringify(messages.slice(0, count));
      if (known.has(prefix)) cached = tokensOf(messages.slice(0, count));
      known.add(prefix);
    }
    const details = { cached_tokens: cached - (cached % 128) };
    const counted = { ...usage, prompt_tokens: tokensOf(messages), prompt_tokens_details: details };
    return completion({ usage: counted })({ json } as ReceivedRequest, response);
  };
}

let first: FakeProvider;
let second: FakeProvider;
let gateway: TestGateway;

beforeEach(async () => {
  first = await startFakeProvider(cachingProvider());
  second = await startFakeProvider(cachingProvider());
  const limits = { ...key.limits, tokensPerMinute: Infinity };
  gateway = await startGateway({ config, providers: { first: first.url, second: second.url }, key: { limits } });
});

afterEach(async () => {
  await gateway.close();
  await first.close();
  await second.close();
});

interface Answer {
  readonly provider: string | null;
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

async function send(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer: Partial<{ usage: typeof usage }> = JSON.parse(await response.text());
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return {
    provider: response.headers.get('x-sluice-provider'),
    promptTokens: answer.usage?.prompt_tokens ?? 0,
    cachedTokens: answer.usage?.prompt_tokens_details?.cached_tokens ?? 0,
  };
}

/** One conversation, each turn of which sends all earlier ones again. */
async function converse(model: string, name: string, turns: number, prefixTokens: number): Promise<Answer[]> {
  const messages: Message[] = [
    { role: 'system', content: `Conversation ${name}. `.padEnd(prefixTokens * CHARACTERS_PER_TOKEN, 'Be brief. ') },
  ];
  const answers: Answer[] = [];
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', content: `Turn ${turn}. `.padEnd(1_200, 'And then? ') });
    answers.push(await send('/chat/completions', { model, messages }));
    messages.push({ role: 'assistant', content: 'Hello from the provider' });
  }
  return answers;
}

const providersOf = (answers: readonly Answer[]): number => new Set(answers.map(({ provider }) => provider)).size;

describe('a conversation on a route with two connections of one provider', () => {
  it('reads at least 85 % of its input from the cache: 16 conversations at once, 30 turns, 20,000 tokens before each', async () => {
    await gateway.close();
    // Two accounts at one provider, each with a cache of its own.
    const accountWith = (apiKey: string) => ({ baseUrl: first.url, apiKey });
    gateway = await startGateway({
      config,
      providers: { first: accountWith('key-of-first'), second: accountWith('key-of-second') },
      key: { limits: { ...key.limits, tokensPerMinute: Infinity } },
    });
    const conversations = await Promise.all(
      Array.from({ length: 16 }, (_, index) => converse('spread', String(index), 30, 20_000)),
    );
    const answers = conversations.flat();
    const share =
      answers.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0) /
      answers.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    expect(share).toBeGreaterThanOrEqual(0.85);
    expect(conversations.map(providersOf)).toEqual(conversations.map(() => 1));
    expect(providersOf(answers)).toBe(2);
    const keys = new Set(first.requests.map(({ headers }) => headers.authorization));
    expect(keys).toEqual(new Set(['Bearer key-of-first', 'Bearer key-of-second']));
    expect([first.requests.length, second.requests.length]).toEqual([answers.length, 0]);
  });
});

describe('a conversation on a route with several connections', () => {
  it('stays at the target that was selected by latency', async () => {
    expect(providersOf(await converse('quick', 'a', 6, 2_000))).toBe(1);
  });

  it('is spread over all of them with `affinity: none`', async () => {
    expect(providersOf(await converse('free', 'a', 40, 2_000))).toBe(2);
  });

  it('is not followed while its prompt is too short for a cache', async () => {
    const short = { model: 'spread', messages: [{ role: 'user', content: 'Hello' }] };
    const answers: Answer[] = [];
    for (let round = 0; round < 40; round++) answers.push(await send('/chat/completions', short));
    expect(providersOf(answers)).toBe(2);
  });

  it('moves with its cache when its connection fails, and stays there', async () => {
    const body = { model: 'spread', prompt_cache_key: 'moving', messages: [{ role: 'user', content: 'Hello' }] };
    const { provider: before } = await send('/chat/completions', body);
    const [holder, other] = before === 'first' ? [first, second] : [second, first];
    holder.answerWith(refusal(503, 'overloaded'));
    const { provider: moved } = await send('/chat/completions', body);
    expect(moved).not.toBe(before);
    holder.answerWith(completion());
    const count = other.requests.length;
    for (let round = 0; round < 5; round++) await send('/chat/completions', body);
    expect(other.requests.length).toBe(count + 5);
  });

  it.each([
    ['prompt_cache_key', '/chat/completions', { prompt_cache_key: 'one' }, {}],
    ['x-session-affinity', '/chat/completions', {}, { 'x-session-affinity': 'one' }],
    ['session-id', '/chat/completions', {}, { 'session-id': 'one' }],
    ['x-claude-code-session-id', '/messages', { max_tokens: 8 }, { 'x-claude-code-session-id': 'one' }],
  ])('is recognised by %s', async (_name, path, members, headers) => {
    const body = { model: 'spread', messages: [{ role: 'user', content: 'Hello' }], ...members };
    const answers: Answer[] = [];
    for (let round = 0; round < 12; round++) answers.push(await send(path, body, headers));
    expect(providersOf(answers)).toBe(1);
  });
});

/** A text of 2,000 tokens. */
const long = (text: string): string => text.padEnd(2_000 * CHARACTERS_PER_TOKEN, ' and so on');
const marked = (text: string) => ({ type: 'text', text: long(text), cache_control: { type: 'ephemeral' } });
const varying = (turn: number) => ({ type: 'text', text: `It is ${turn} o’clock.` });

/** The providers that twelve turns reach, each of which says something else after the marks. */
async function turnsOf(path: string, bodyOf: (turn: number) => object): Promise<number> {
  const answers: Answer[] = [];
  for (let turn = 0; turn < 12; turn++) answers.push(await send(path, { model: 'spread', ...bodyOf(turn) }));
  return providersOf(answers);
}

describe('a conversation with cache marks', () => {
  const ask = [{ role: 'user', content: 'Hello' }];

  it('is recognised by its instructions up to the last mark of a chat', async () => {
    const content = (turn: number) => [marked('Be brief'), varying(turn)];
    const bodyOf = (turn: number) => ({ messages: [{ role: 'system', content: content(turn) }, ...ask] });
    expect(await turnsOf('/chat/completions', bodyOf)).toBe(1);
  });

  it('is recognised by the mark in its first user message', async () => {
    const content = (turn: number) => [marked('A document'), varying(turn)];
    expect(
      await turnsOf('/chat/completions', (turn) => ({ messages: [{ role: 'user', content: content(turn) }] })),
    ).toBe(1);
    expect(
      await turnsOf('/messages', (turn) => ({ max_tokens: 8, messages: [{ role: 'user', content: content(turn) }] })),
    ).toBe(1);
  });

  it('is recognised by its instructions up to the last mark of a message', async () => {
    const bodyOf = (turn: number) => ({ max_tokens: 8, system: [marked('Be brief'), varying(turn)], messages: ask });
    expect(await turnsOf('/messages', bodyOf)).toBe(1);
  });

  it('is another one with other texts before the mark, or another first user message', async () => {
    const instructions = (turn: number) => ({ role: 'system', content: [marked(`${turn} words`), varying(turn)] });
    expect(await turnsOf('/chat/completions', (turn) => ({ messages: [instructions(turn), ...ask] }))).toBe(2);
    const hello = (turn: number) => [instructions(0), { role: 'user', content: `Hello ${turn}` }];
    expect(await turnsOf('/chat/completions', (turn) => ({ messages: hello(turn) }))).toBe(2);
  });

  it('is another one each time where nothing is marked', async () => {
    const plain = { type: 'text', text: long('Be brief') };
    const bodyOf = (turn: number) => ({
      max_tokens: 8,
      system: [plain, varying(turn)],
      messages: [{ role: 'user', content: `At ${turn}` }],
    });
    expect(await turnsOf('/messages', bodyOf)).toBe(2);
  });
});

describe('CacheAffinity', () => {
  const target = { connection: { id: 'first' }, model: 'first/model' } as Parameters<
    ReturnType<CacheAffinity['of']>['record']
  >[0];

  it('keeps conversations of accounts and routes apart', () => {
    const affinity = new CacheAffinity(new FakeClock());
    affinity.of('account', 'route', 'a').record(target);
    expect(affinity.of('account', 'route', 'a').holds(target)).toBe(true);
    expect(affinity.of('other', 'route', 'a').holds(target)).toBe(false);
    expect(affinity.of('account', 'other', 'a').holds(target)).toBe(false);
  });

  it('forgets a conversation an hour after its last turn', () => {
    const clock = new FakeClock();
    const affinity = new CacheAffinity(clock);
    affinity.of('account', 'route', 'a').record(target);
    clock.advance(59 * 60_000);
    affinity.of('account', 'route', 'a').record(target);
    clock.advance(59 * 60_000);
    expect(affinity.of('account', 'route', 'a').holds(target)).toBe(true);
    clock.advance(61_000);
    expect(affinity.of('account', 'route', 'a').holds(target)).toBe(false);
  });

  it('drops the conversation that was used least recently when it is full', () => {
    const affinity = new CacheAffinity(new FakeClock());
    affinity.of('account', 'route', 'old').record(target);
    affinity.of('account', 'route', 'used').record(target);
    for (let index = 0; index < 19_998; index++) affinity.of('account', 'route', String(index)).record(target);
    affinity.of('account', 'route', 'used').record(target);
    affinity.of('account', 'route', 'last').record(target);
    expect(affinity.of('account', 'route', 'old').holds(target)).toBe(false);
    expect(affinity.of('account', 'route', 'used').holds(target)).toBe(true);
  });
});
