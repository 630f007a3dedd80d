import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import type { buildConnector } from 'undici';
import { describe, expect, it } from 'vitest';
import { SettingsError, type Connection, type ConnectionSettings } from '../../../src/providers/contract.ts';
import { openConnection, providerAliases, providers } from '../../../src/providers/registry.ts';
import { startFakeProvider, type ReceivedRequest } from '../../harness/fake-provider.ts';

const folder = new URL('../../../src/providers/', import.meta.url);
const MAX_DECLARATION_LINES = 40;

/** Where each provider's documentation says that chats are sent. */
const chatUrls: Readonly<Record<string, string>> = {
  alibaba: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
  cerebras: 'https://api.cerebras.ai/v1/chat/completions',
  deepinfra: 'https://api.deepinfra.com/v1/openai/chat/completions',
  deepseek: 'https://api.deepseek.com/chat/completions',
  fireworks: 'https://api.fireworks.ai/inference/v1/chat/completions',
  'github-models': 'https://models.github.ai/inference/chat/completions',
  groq: 'https://api.groq.com/openai/v1/chat/completions',
  huggingface: 'https://router.huggingface.co/v1/chat/completions',
  minimax: 'https://api.minimax.io/v1/chat/completions',
  mistral: 'https://api.mistral.ai/v1/chat/completions',
  moonshot: 'https://api.moonshot.ai/v1/chat/completions',
  nebius: 'https://api.tokenfactory.nebius.com/v1/chat/completions',
  nvidia: 'https://integrate.api.nvidia.com/v1/chat/completions',
  openai: 'https://api.openai.com/v1/chat/completions',
  openrouter: 'https://openrouter.ai/api/v1/chat/completions',
  perplexity: 'https://api.perplexity.ai/chat/completions',
  sambanova: 'https://api.sambanova.ai/v1/chat/completions',
  together: 'https://api.together.ai/v1/chat/completions',
  xai: 'https://api.x.ai/v1/chat/completions',
  zai: 'https://api.z.ai/api/paas/v4/chat/completions',
  ollama: 'http://127.0.0.1:11434/v1/chat/completions',
  vllm: 'http://127.0.0.1:8000/v1/chat/completions',
  'lm-studio': 'http://127.0.0.1:1234/v1/chat/completions',
  'llama-cpp': 'http://127.0.0.1:8080/v1/chat/completions',
  localai: 'http://127.0.0.1:8080/v1/chat/completions',
};

describe('the registry', () => {
  it('has each id and each other prefix once', () => {
    const names = providers.flatMap(({ id, providerAliases = [] }) => [id, ...providerAliases]);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    for (const [other, id] of providerAliases) expect(providers.map((provider) => provider.id)).toContain(id ?? other);
  });

  it.each(providers.map((provider) => [provider.id, provider] as const))('describes %s', (id, provider) => {
    expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(provider.name).not.toBe('');
    if (provider.documentation !== 'unverified') expect(provider.documentation).toMatch(/^https:\/\/\S+$/);
    if (provider.baseUrl !== null) expect(provider.baseUrl).toMatch(/^https?:\/\/[^/\s]+(\/\S*[^/])?$/);
  });

  it.each([
    ['x-ai', 'xai'],
    ['azure', 'azure-openai'],
    ['mistralai', 'mistral'],
    ['togetherai', 'together'],
    ['fireworks-ai', 'fireworks'],
    ['moonshotai', 'moonshot'],
    ['dashscope', 'alibaba'],
    ['z-ai', 'zai'],
  ])('knows %s as %s', (other, id) => {
    expect(providerAliases.get(other)).toBe(id);
  });
});

describe('a declaration of OpenAI’s shape', () => {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && file !== 'registry.ts')
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const)
    .filter(([, text]) => text.includes('openAiShaped('));

  it.each(files)('in %s is short', (_file, text) => {
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_DECLARATION_LINES);
  });

  it.each(Object.entries(chatUrls))('of %s sends chats to where its documentation says', async (id, url) => {
    const { host, request } = await dialled(id, {});
    expect(`${new URL(url).protocol}//${host}${request.path}`).toBe(url);
    expect(request.headers.authorization).toBe('Bearer its-key');
    expect(url).toBe(`${providers.find((provider) => provider.id === id)?.baseUrl}/chat/completions`);
  });

  it.each([
    [{ resource: 'mine' }, 'mine.openai.azure.com/openai/v1/chat/completions'],
    [
      { resource: 'mine', api_version: '2024-10-21' },
      'mine.openai.azure.com/openai/deployments/the-model/chat/completions?api-version=2024-10-21',
    ],
  ])('of azure-openai makes its URL of %o', async (options, url) => {
    const { host, request } = await dialled('azure-openai', { options });
    expect(host + request.path).toBe(url);
    expect(request.headers).toMatchObject({ 'api-key': 'its-key' });
    expect(request.headers).not.toHaveProperty('authorization');
  });

  it('stands in CONTRIBUTING.md as it is, for an example', () => {
    const example = readFileSync(new URL('openai-compatible/moonshot.ts', folder), 'utf8');
    expect(readFileSync(new URL('../../CONTRIBUTING.md', folder), 'utf8')).toContain(example);
  });

  it.each([...Object.keys(chatUrls), 'azure-openai'])('of %s is listed in docs/providers.md', (id) => {
    const [, listed = ''] = readFileSync(new URL('../../docs/providers.md', folder), 'utf8').split(
      '\n## Set up a provider\n',
    );
    expect(listed.split('\n## ', 1)[0]).toContain(`\`${id}\``);
  });

  it('names what a connection lacks', () => {
    const nothing = { apiKey: undefined, baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    for (const id of ['mistral', 'xai', 'zai'])
      expect(() => openConnection(id, { id, ...nothing })).toThrow(
        new SettingsError(`provider ${id} needs an API key`),
      );
    const azure = { id: 'azure-openai', ...nothing, apiKey: 'its-key' };
    expect(() => openConnection('azure-openai', azure)).toThrow(SettingsError);
    for (const id of ['ollama', 'localai']) expect(openConnection(id, { id, ...nothing }).provider).toBe(id);
  });
});

/** One chat as the provider would get it: all sockets lead to a fake one. */
async function dialled(
  provider: string,
  settings: Partial<ConnectionSettings>,
): Promise<{ readonly host: string | undefined; readonly request: ReceivedRequest }> {
  const upstream = await startFakeProvider();
  const dial: buildConnector.connector = (_options, callback) => {
    const socket = connect(Number(new URL(upstream.url).port), '127.0.0.1', () => callback(null, socket));
  };
  const usual = { id: provider, apiKey: 'its-key', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
  const connection = openConnection(provider, { ...usual, dial, ...settings });
  try {
    await chat(connection);
    const request = await upstream.nextRequest();
    return { host: request.headers.host, request };
  } finally {
    await connection.close();
    await upstream.close();
  }
}

function chat(connection: Connection): Promise<void> {
  const request = { messages: [{ role: 'user', content: 'Hello' }] } as const;
  const body = Buffer.from(JSON.stringify({ model: 'x', ...request }));
  return new Promise((resolve, reject) => {
    const context = { model: 'the-model', request, stream: false, wantsUsage: false, requestId: 'req_1' };
    connection.chat(
      { ...context, body, parameters: 'drop' },
      {
        onConnecting: () => undefined,
        onHead: () => undefined,
        onData: () => undefined,
        onEnd: resolve,
        onFailure: reject,
      },
    );
  });
}
