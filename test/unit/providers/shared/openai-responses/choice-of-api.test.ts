import { describe, expect, it } from 'vitest';
import { SettingsError, type ConnectionSettings } from '../../../../../src/providers/contract.ts';
import { ResponsesChat } from '../../../../../src/providers/shared/openai-responses/responses-chat.ts';
import {
  openAiResponses,
  servedByResponsesOnly,
  type ResponsesShape,
} from '../../../../../src/providers/shared/openai-responses/responses-shape.ts';
import { openConnection } from '../../../../../src/providers/registry.ts';
import { HttpUpstream } from '../../../../../src/providers/shared/http/http-upstream.ts';
import { completion, startFakeProvider } from '../../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../../harness/gateway.ts';

function chatOver(baseUrl: string, shape: ResponsesShape, options: Record<string, string> = {}): ResponsesChat {
  const upstream = new HttpUpstream({ provider: 'openai', baseUrl, headers: [], connectTimeoutMs: 60_000 });
  return new ResponsesChat({ id: 'openai', provider: 'openai', upstream, baseUrl, query: '' }, shape, options);
}

const settings = (options: Record<string, string>): ConnectionSettings => ({
  id: 'openai',
  apiKey: 'k',
  baseUrl: undefined,
  connectTimeoutMs: 60_000,
  options,
});

describe('the models that OpenAI serves by /responses only', () => {
  it.each([
    'o1-pro',
    'o3-pro-2025-06-10',
    'gpt-5-pro',
    'gpt-5.5-pro-2026-04-23',
    'gpt-5-codex',
    'gpt-5.1-codex-max',
    'codex-mini-latest',
    'o3-deep-research',
    'o4-mini-deep-research-2025-06-26',
    'computer-use-preview',
    'gpt-6-cyber',
  ])('are known by name: %s', (model) => expect(servedByResponsesOnly(model)).toBe(true));

  it.each(['gpt-5', 'gpt-5.5-mini', 'o3', 'gpt-4o-search-preview', 'chatgpt-4o-latest', 'my-pro', 'ft:gpt-4.1:pro::1'])(
    'are not all: %s',
    (model) => expect(servedByResponsesOnly(model)).toBe(false),
  );

  it('go there at OpenAI and Azure, and not at another server of theirs', () => {
    for (const host of [
      'https://api.openai.com/v1',
      'https://eu.api.openai.com/v1',
      'https://a.openai.azure.com/openai/v1',
    ])
      expect(chatOver(host, openAiResponses).serves('gpt-5-pro')).toBe(true);
    for (const host of ['http://127.0.0.1:4000/v1', 'https://notopenai.com/v1', 'https://openai.com.example/v1'])
      expect(chatOver(host, openAiResponses).serves('gpt-5-pro')).toBe(false);
  });
});

describe('the option api', () => {
  const host = 'https://api.openai.com/v1';

  it('decides for all models', () => {
    expect(chatOver(host, openAiResponses, { api: 'chat' }).serves('gpt-5-pro')).toBe(false);
    expect(chatOver(host, openAiResponses, { api: 'responses' }).serves('gpt-4.1')).toBe(true);
    expect(chatOver('http://127.0.0.1:1234/v1', {}, { api: 'responses' }).serves('any-model')).toBe(true);
  });

  it('is one of two', () => {
    expect(() => openConnection('openai', settings({ api: 'completions' }))).toThrow(SettingsError);
  });

  it.each<Record<string, string>>([{}, { api: 'chat' }])('leaves chat byte for byte with %j', async (options) => {
    const provider = await startFakeProvider(completion());
    const gateway = await startGateway({ providers: { openai: { baseUrl: provider.url, options } } });
    const body =
      '{"model":"openai/gpt-5-pro" ,"messages":[{"role":"user","content":"\\u0048i"}],"seed":90071992547409931}';
    try {
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body,
      });
      expect(await answer.json()).toMatchObject({ id: 'chatcmpl-fake' });
      const [received] = provider.requests;
      expect(received?.path).toBe('/v1/chat/completions');
      expect(received?.body.replace(/\s/g, '')).toBe(body.replace('openai/', '').replace(/\s/g, ''));
    } finally {
      await gateway.close();
      await provider.close();
    }
  });
});

describe('the option `websockets`', () => {
  it('is on or off', () => {
    expect(() => chatOver('https://api.openai.com/v1', openAiResponses, { websockets: 'true' })).toThrow(SettingsError);
    expect(() => chatOver('https://api.openai.com/v1', openAiResponses, { websockets: 'off' })).not.toThrow();
  });
});
