import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal, silence } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../../harness/gateway.ts';
import { ask, moderationConfig, model, startModerated, type ModeratedProvider } from './moderated-gateway.ts';

let fake: ModeratedProvider;
let gateway: TestGateway;

beforeEach(async () => {
  fake = await startModerated();
});

afterEach(async () => {
  await gateway.close();
  await fake.provider.close();
});

async function start(options: GatewayOptions): Promise<OpenAI> {
  gateway = await startGateway({ openai: fake.provider.url, ...options });
  return new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
}

const user = (content: OpenAI.ChatCompletionUserMessageParam['content']) => ({ role: 'user' as const, content });

describe('an input with the action `block`', () => {
  it('is not sent to the chat model where it is flagged, and costs only its moderation', async () => {
    const client = await start({ config: moderationConfig('block', ['input']) });
    const asked = client.chat.completions.create({ model, messages: [user('Something terrible')] });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'content_flagged', param: 'messages' });
    await expect(asked).rejects.toThrow(/violence, harassment|harassment, violence/);
    expect(fake.chats()).toEqual([]);
    expect(await gateway.settledCount(1)).toMatchObject([
      { capability: 'moderation', model: 'openai/omni-moderation-latest', status: 'succeeded' },
    ]);
    expect(gateway.pipeline.openCount).toBe(0);
  });

  it('contains the text and images of the user only, one image per request', async () => {
    const client = await start({ config: moderationConfig('block', ['input']) });
    const url = 'data:image/png;base64,AAAA';
    await client.chat.completions.create({
      model,
      messages: [
        { role: 'system', content: 'terrible instructions' },
        user('first'),
        { role: 'assistant', content: 'terrible answer' },
        user([
          { type: 'text', text: 'second' },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
        ]),
      ],
    });
    expect(fake.judged()).toEqual([
      ['first', 'second'],
      [{ type: 'image_url', image_url: { url } }],
      [{ type: 'image_url', image_url: { url: 'https://example.com/b.png' } }],
    ]);
    const records = await gateway.settledCount(4);
    expect(records.map(({ capability }) => capability).toSorted()).toEqual([
      'chat',
      'moderation',
      'moderation',
      'moderation',
    ]);
  });

  it('is moderated before the chat is sent', async () => {
    let judgedFirst = false;
    const client = await start({ config: moderationConfig('block', ['input']) });
    fake.chatWith((_request, response) => {
      judgedFirst = fake.judged().length === 1;
      response.destroy();
    });
    await client.chat.completions.create({ model, messages: [user('Hello')] }).catch(() => undefined);
    expect(judgedFirst).toBe(true);
  });

  it('is moderated in pieces where it is long', async () => {
    const client = await start({ config: moderationConfig('block', ['input']) });
    const text = `${'a quiet word '.repeat(5_000)}terrible`;
    const asked = client.chat.completions.create({ model, messages: [user(text)] });
    await expect(asked).rejects.toMatchObject({ code: 'content_flagged' });
    const [pieces] = fake.judged();
    expect(Array.isArray(pieces) && pieces.length).toBe(4);
  });

  it.each([
    ['fails', refusal(500, 'broken')],
    ['refuses', refusal(401, 'no key')],
    ['limits its requests', refusal(429, 'too many')],
  ])('is rejected where the moderation model %s', async (_what, script) => {
    const client = await start({ config: moderationConfig('block', ['input']) });
    fake.moderateWith(script);
    const asked = client.chat.completions.create({ model, messages: [user('Hello')] });
    await expect(asked).rejects.toMatchObject({ status: 503, code: 'moderation_unavailable' });
    expect(fake.chats()).toEqual([]);
    expect(gateway.pipeline.openCount).toBe(0);
  });

  it('is rejected where the moderation model does not exist', async () => {
    const client = await start({
      config: moderationConfig('block').replace('openai/omni-moderation-latest', 'nobody/knows'),
    });
    const asked = client.chat.completions.create({ model, messages: [user('Hello')] });
    await expect(asked).rejects.toMatchObject({ status: 503, code: 'moderation_unavailable' });
    expect(gateway.settled()).toEqual([]);
  });

  it('is cancelled with its moderation when its client disconnects', async () => {
    await start({ config: moderationConfig('block', ['input']) });
    fake.moderateWith(silence);
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [user('Hello')] }),
    });
    const moderation = await fake.provider.nextRequest();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await moderation.aborted;
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ capability: 'moderation', status: 'aborted' });
    expect(gateway.pipeline.openCount).toBe(0);
    expect(fake.chats()).toEqual([]);
  });

  it('passes with a key of one concurrent request, of which it uses one', async () => {
    const limits = { requestsPerMinute: 100, tokensPerMinute: 1_000_000, requestsPerDay: Infinity, concurrency: 1 };
    const client = await start({ config: moderationConfig('block'), key: { limits } });
    for (let times = 0; times < 3; times++) await client.chat.completions.create({ model, messages: [user('Hello')] });
    expect(fake.judged()).toHaveLength(6);
  });

  it('reports the limit of its key where that rejects its moderation', async () => {
    const limits = { requestsPerMinute: 1, tokensPerMinute: 1_000_000, requestsPerDay: Infinity, concurrency: 5 };
    const client = await start({ config: moderationConfig('block', ['input']), key: { limits } });
    const asked = client.chat.completions.create({ model, messages: [user('Hello')] });
    // Its moderation took the one request that it had.
    await expect(asked).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
    const again = client.chat.completions.create({ model, messages: [user('Hello')] });
    await expect(again).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  });
});

describe('an input with the action `annotate`', () => {
  it.each([
    ['Hello', 'input=none'],
    ['Something terrible', 'input=harassment,violence'],
  ])('%j passes, and the response header is %s', async (content, header) => {
    const client = await start({ config: moderationConfig('annotate', ['input']) });
    const { response } = await client.chat.completions.create({ model, messages: [user(content)] }).withResponse();
    expect(response.headers.get('x-sluice-moderation')).toBe(header);
    expect(fake.chats()).toHaveLength(1);
  });

  it('passes where the moderation model fails', async () => {
    const client = await start({ config: moderationConfig('annotate', ['input']) });
    fake.moderateWith(refusal(500, 'broken'));
    const { response } = await client.chat.completions.create({ model, messages: [user('Hello')] }).withResponse();
    expect(response.headers.get('x-sluice-moderation')).toBe('input=unavailable');
  });

  it('is moderated for streams too', async () => {
    const client = await start({ config: moderationConfig('annotate', ['input']) });
    const { response } = await client.chat.completions
      .create({ model: 'sandbox/chat', stream: true, messages: [user('Something terrible')] })
      .withResponse();
    expect(response.headers.get('x-sluice-moderation')).toBe('input=harassment,violence');
    expect(await response.text()).toContain('[DONE]');
  });
});

describe('moderation', () => {
  it('applies to its route only', async () => {
    const config = `routes:\n  safe:\n    targets: [${model}]\n    moderation: { model: openai/omni-moderation-latest, action: block }\n`;
    await start({ config });
    const content = 'Something terrible';
    expect((await ask(gateway, { model: 'safe', messages: [user(content)] })).status).toBe(400);
    const free = await ask(gateway, { messages: [user(content)] });
    expect(free.status).toBe(200);
    expect(free.headers.get('x-sluice-moderation')).toBeNull();
    expect(fake.judged()).toHaveLength(1);
  });

  it('of all routes is disabled for a route by `none`', async () => {
    const config = `${moderationConfig('block')}routes:\n  free:\n    targets: [${model}]\n    moderation: none\n`;
    await start({ config });
    expect((await ask(gateway, { model: 'free' })).status).toBe(200);
    expect(fake.judged()).toEqual([]);
  });

  it('of a key applies in addition to that of the route', async () => {
    const own = { model: 'sandbox/moderation', input: true, output: false, action: 'block', operators: false } as const;
    await start({ config: moderationConfig('annotate', ['input']), key: { moderation: own, allowedModels: [model] } });
    const refused = await ask(gateway, { messages: [user('I want to kill them.')] });
    expect(refused.status).toBe(400);
    const error = JSON.parse(await refused.text());
    expect(error.error.message).toContain('sandbox/moderation');
    const annotated = await ask(gateway, { messages: [user('Something terrible')] });
    expect(annotated.status).toBe(200);
    expect(annotated.headers.get('x-sluice-moderation')).toBe('input=harassment,violence');
  });

  it('does not apply to embeddings', async () => {
    const client = await start({ config: moderationConfig('block') });
    await client.embeddings.create({ model: 'sandbox/embedding', input: 'Something terrible' });
    expect(fake.judged()).toEqual([]);
  });
});
