import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const beginning = (model: string) => `The model \`${model}\` does not exist or you do not have access to it.`;
const listed = 'GET /v1/models lists the available models.';
const config = `
aliases: { smart: mistral/large, quick: anyone, "gpt-4.*": lost }
routes:
  anyone: { targets: [mistral/large, deepseek/chat] }
  lost: { targets: [nobody/x] }
  "gemini-*": { targets: [mistral/large] }
`;

let provider: FakeProvider;
let gateway: TestGateway;
let narrow: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  const providers = { openai: provider.url, openrouter: provider.url, mine: provider.url };
  gateway = await startGateway({ providers, config });
  narrow = await startGateway({ providers, config, key: { allowedModels: ['openai/gpt-4.1', 'groq/llama'] } });
});

afterAll(async () => {
  await Promise.all([gateway.close(), narrow.close()]);
  await provider.close();
});

const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };

async function errorOf(path: string, body: object, { url } = gateway) {
  const answer = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { error }: { error: { code: string; message: string } } = JSON.parse(await answer.text());
  return { status: answer.status, ...error };
}

const chat = (model: string, at = gateway) =>
  errorOf('/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] }, at);

describe('a model that is not found', () => {
  it.each([
    [
      'mistral/large',
      'The provider mistral is not connected here, or its connection is inactive. Set MISTRAL_API_KEY, or connect mistral to your account.',
    ],
    [
      'google/gemini',
      'The provider gemini is not connected here, or its connection is inactive. Set GEMINI_API_KEY, or connect gemini to your account.',
    ],
    [
      'lm-studio/m',
      'The provider lm-studio is not connected here, or its connection is inactive. Set LM_STUDIO_BASE_URL, or connect lm-studio to your account.',
    ],
    ['google-vertex/m', 'Name google-vertex in sluice.yaml, or connect google-vertex to your account.'],
    ['smart', 'Its targets are not available here: mistral/large. Set MISTRAL_API_KEY,'],
    ['quick', 'Its targets are not available here: mistral/large, deepseek/chat. Set MISTRAL_API_KEY, or connect'],
    ['anyone', 'to your account; or set DEEPSEEK_API_KEY, or connect deepseek to your account.'],
    ['lost', 'Its targets are not available here: nobody/x. Connect nobody.'],
    ['gemini-3-pro', 'Its targets are not available here: mistral/large. Set MISTRAL_API_KEY,'],
    ['gpt-4.9', 'Its targets are not available here: nobody/x. Connect nobody.'],
    ['nobody/x', listed],
    ['gpt-of-tomorrow', listed],
    ['sandbox/nothing', listed],
  ])('named %s has a hint', async (model, hint) => {
    const { status, code, message } = await chat(model);
    expect([status, code]).toEqual([404, 'model_not_found']);
    expect(message.startsWith(`${beginning(model)} `)).toBe(true);
    expect(message).toContain(hint);
    const answer = await fetch(`${gateway.url}/v1/models/${model}`, { headers });
    expect(await answer.json()).toMatchObject({ error: { message, param: 'model' } });
  });

  it('has a hint with all providers of an ambiguous bare name', async () => {
    const twoOfThem = await startGateway({
      providers: { openai: provider.url, 'azure-openai': { baseUrl: provider.url } },
    });
    try {
      expect((await chat('gpt-4.1', twoOfThem)).message).toBe(
        `${beginning('gpt-4.1')} Several providers have this model. Specify openai/gpt-4.1 or azure-openai/gpt-4.1.`,
      );
    } finally {
      await twoOfThem.close();
    }
  });

  it('has a hint without the configuration for a key that may not use it', async () => {
    for (const model of ['mistral/large', 'smart', 'anyone'])
      expect((await chat(model, narrow)).message).toBe(`${beginning(model)} ${listed}`);
    // It exists, and this key may not know: only what it may use is suggested.
    const message = `${beginning('openai/gpt-4.1-mini')} Did you mean \`openai/gpt-4.1\` or \`openrouter/openai/gpt-4.1\`? ${listed}`;
    expect((await chat('openai/gpt-4.1-mini', narrow)).message).toBe(message);
    expect((await chat('groq/llama', narrow)).message).toContain('Set GROQ_API_KEY');
  });
});

describe('a misspelled model', () => {
  const suggested = (message: string): string[] => {
    const [, names = ''] = /Did you mean (.*?)\?/.exec(message) ?? [];
    return [...names.matchAll(/`(.*?)`/g)].map(([, name = '']) => name);
  };

  it.each([
    ['opanai/gpt-4.1', 'openai/gpt-4.1'],
    ['Sandbox/Chat', 'sandbox/chat'],
    ['gpt-4.1-minni', 'openai/gpt-4.1-mini'],
    ['gpt-4.1-mini-2099-01-01', 'openai/gpt-4.1-mini'],
    ['gpt-4.1-min', 'openai/gpt-4.1-mini'],
    ['sandbox/embed', 'sandbox/embedding'],
    ['anyon', 'anyone'],
  ])('named %s has a suggestion', async (model, meant) => {
    const { status, message } = await chat(model);
    expect(status).toBe(404);
    expect(suggested(message)).toContain(meant);
    expect(suggested(message).length).toBeLessThanOrEqual(3);
    expect(message).not.toContain('`gpt-4.*`');
  });

  it('has a suggestion in every protocol', async () => {
    const model = 'opanai/gpt-4.1';
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const messages = [{ role: 'user', content: 'Hi' }];
    const requests: readonly (readonly [path: string, body: object | null])[] = [
      ['/v1/responses/input_tokens', { model, input: 'Hi' }],
      ['/v1/completions', { model, prompt: 'Hi' }],
      ['/v1/embeddings', { model, input: 'Hi' }],
      ['/v1/messages', { model, max_tokens: 9, messages }],
      ['/v1/messages/count_tokens', { model, messages }],
      [`/v1beta/models/${model}:generateContent`, { contents }],
      [`/v1beta/models/${model}:countTokens`, { contents }],
      [`/v1beta/models/${model}`, null],
      [`/v1/models/${model}`, null],
    ];
    for (const [path, body] of requests) {
      const init = body === null ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(gateway.url + path, init);
      const { error }: { error: { message: string } } = JSON.parse(await answer.text());
      expect([path, answer.status, suggested(error.message)[0]]).toEqual([path, 404, 'openai/gpt-4.1']);
    }
  });

  it('has no suggestion that its key may not use', async () => {
    expect(suggested((await chat('opanai/gpt-4.1', narrow)).message)[0]).toBe('openai/gpt-4.1');
    expect(suggested((await chat('sandbox/chatt', narrow)).message)).toEqual([]);
    expect(suggested((await chat('anyon', narrow)).message)).toEqual([]);
  });
});

describe('a model of the sandbox', () => {
  it.each([
    ['/embeddings', { model: 'sandbox/chat', input: 'x' }, 'embeddings with sandbox/chat'],
    ['/rerank', { model: 'sandbox/chat', query: 'q', documents: ['d'] }, 'rerank with sandbox/chat'],
    ['/moderations', { model: 'sandbox/embedding', input: 'x' }, 'moderation with sandbox/embedding'],
    [
      '/chat/completions',
      { model: 'sandbox/rerank', messages: [{ role: 'user', content: 'x' }] },
      'chat with sandbox/rerank',
    ],
  ])('without the capability %s returns an error', async (path, body, hint) => {
    const { status, code, message } = await errorOf(path, body);
    expect([status, code]).toEqual([400, 'capability_not_supported']);
    expect(message).toContain(`does not support ${hint}. Choose a model that does`);
  });
});
