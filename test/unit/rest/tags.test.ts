import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeAll(async () => {
  provider = await startFakeProvider(completion());
  gateway = await startGateway({ openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const hello = { model: 'sandbox/chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
const tagged = (value: string): OpenAI.RequestOptions => ({ headers: { 'x-sluice-tags': value } });

/** The recorded tags of the last request made by `run`. */
async function tagsOf(run: () => Promise<unknown>): Promise<unknown> {
  const before = gateway.settled().length;
  await run();
  return (await gateway.settledCount(before + 1)).at(-1)?.tags;
}

describe('tags', () => {
  it('are read from the header and from the metadata of a chat; the header takes precedence', async () => {
    const metadata = { team: 'ads', mood: 'a, b=c' };
    expect(await tagsOf(() => client.chat.completions.create({ ...hello, metadata }))).toEqual(metadata);
    const header = tagged('team=search, project = 2026-q4 ,empty=,url=https://x/?a=b');
    expect(await tagsOf(() => client.chat.completions.create({ ...hello, metadata }, header))).toEqual({
      team: 'search',
      mood: 'a, b=c',
      project: '2026-q4',
      empty: '',
      url: 'https://x/?a=b',
    });
  });

  it('are absent from the record if there are none', async () => {
    expect(await tagsOf(() => client.chat.completions.create(hello))).toBeUndefined();
    expect(
      await tagsOf(() => client.chat.completions.create({ ...hello, metadata: {} }, tagged(' , '))),
    ).toBeUndefined();
    expect(await tagsOf(() => client.chat.completions.create({ ...hello, metadata: null }))).toBeUndefined();
  });

  it('are recorded for requests of every capability', async () => {
    const speech = await client.audio.speech.create({
      model: 'sandbox/speech',
      voice: 'alloy',
      input: 'Hello',
      response_format: 'wav',
    });
    const file = await toFile(Buffer.from(await speech.arrayBuffer()), 'a.wav', { type: 'audio/wav' });
    const model = (name: string): string => `sandbox/${name}`;
    const options = tagged('team=search');
    const calls: Record<string, () => Promise<unknown>> = {
      chat: () => client.chat.completions.create(hello, options),
      embeddings: () => client.embeddings.create({ model: model('embedding'), input: 'a' }, options),
      images: () => client.images.generate({ model: model('image'), prompt: 'a', size: '256x256' }, options),
      moderation: () => client.moderations.create({ model: model('moderation'), input: 'a' }, options),
      rerank: () =>
        client.post('/rerank', { body: { model: model('rerank'), query: 'a', documents: ['b'] }, ...options }),
      speech: async () => {
        const body = { model: model('speech'), voice: 'alloy', input: 'a', response_format: 'wav' } as const;
        await (await client.audio.speech.create(body, options)).arrayBuffer();
      },
      transcription: () => client.audio.transcriptions.create({ model: model('transcription'), file }, options),
    };
    for (const [name, call] of Object.entries(calls))
      expect([name, await tagsOf(call)]).toEqual([name, { team: 'search' }]);
  });

  it('are decoded as UTF-8 if valid, else as Latin-1', async () => {
    const send = (bytes: Buffer) =>
      tagsOf(() => client.chat.completions.create(hello, tagged(bytes.toString('latin1'))));
    expect(await send(Buffer.from('city=Zürich'))).toEqual({ city: 'Zürich' });
    expect(await send(Buffer.from('city=Z\u{fc}rich', 'latin1'))).toEqual({ city: 'Zürich' });
  });

  it('are limited to 16, with names of 64 and values of 256 characters', async () => {
    const many = (count: number): string => Array.from({ length: count }, (_, at) => `t${at}=x`).join(',');
    expect(
      Object.keys((await tagsOf(() => client.chat.completions.create(hello, tagged(many(16))))) ?? {}),
    ).toHaveLength(16);
    const longest = `${'n'.repeat(64)}=${'v'.repeat(256)}`;
    expect(await tagsOf(() => client.chat.completions.create(hello, tagged(longest)))).toEqual({
      ['n'.repeat(64)]: 'v'.repeat(256),
    });
    for (const [header, reason] of [
      [many(17), 'it contains 17 tags, and at most 16 are allowed.'],
      [`${'n'.repeat(65)}=v`, 'is longer than 64 characters.'],
      [`name=${'v'.repeat(257)}`, 'the value of name is longer than 256 characters.'],
      ['no-value', '"no-value" is not name=value.'],
      ['=value', '"" is not a valid tag name'],
      ['a b=value', '"a b" is not a valid tag name'],
      ['grün=value', 'is not a valid tag name'],
      ['a=1, a=2', 'the tag a occurs twice.'],
    ] as const)
      await expect(
        client.embeddings.create({ model: 'sandbox/embedding', input: 'a' }, tagged(header)),
      ).rejects.toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'x-sluice-tags',
        message: expect.stringContaining(reason),
      });
  });

  it('may have the names of object properties', async () => {
    const tags = await tagsOf(() => client.chat.completions.create(hello, tagged('__proto__=a, constructor=b')));
    expect(JSON.stringify(tags)).toBe('{"__proto__":"a","constructor":"b"}');
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });
});
