import OpenAI, { NotFoundError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let narrow: TestGateway;

const clientOf = ({ url }: TestGateway): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0 });

beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
  narrow = await startGateway({ openai: provider.url, key: { allowedModels: ['openai/gpt-4.1-mini', 'chat'] } });
});

afterAll(async () => {
  await gateway.close();
  await narrow.close();
  await provider.close();
});

describe('the list of models', () => {
  it('is read by the official SDK and contains the models of every provider', async () => {
    const models: OpenAI.Model[] = [];
    for await (const model of clientOf(gateway).models.list()) models.push(model);
    const ids = models.map(({ id }) => id);
    expect(ids).toContain('sandbox/chat');
    expect(ids).toContain('openai/gpt-4.1-mini');
    for (const model of models) {
      expect(model).toMatchObject({ object: 'model', owned_by: expect.any(String), created: expect.any(Number) });
      expect(Object.keys(model).sort()).toEqual(
        [
          'id',
          'object',
          'created',
          'owned_by',
          'name',
          'provider',
          'context_window',
          'max_output_tokens',
          'input_modalities',
          'output_modalities',
          'capabilities',
          'pricing',
        ].sort(),
      );
    }
  });

  it('contains only models that the key may use, by full or bare name', async () => {
    const ids = (await clientOf(narrow).models.list()).data.map(({ id }) => id);
    expect(ids.sort()).toEqual(['openai/gpt-4.1-mini', 'sandbox/chat']);
  });
});

describe('one model', () => {
  it('is found by its percent-encoded ID, as the SDK sends it', async () => {
    expect(await clientOf(gateway).models.retrieve('openai/gpt-4.1-mini')).toMatchObject({
      id: 'openai/gpt-4.1-mini',
      provider: 'openai',
    });
  });

  it('is found by its unencoded ID', async () => {
    const answer = await fetch(`${gateway.url}/v1/models/sandbox/chat`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect(await answer.json()).toMatchObject({ id: 'sandbox/chat', object: 'model' });
  });

  it.each(['nobody/nothing', 'ft:gpt:me/x', '__proto__', 'constructor', '../../etc/passwd', 'a'.repeat(3000)])(
    'called %.30s does not exist',
    async (name) => {
      const failure = await clientOf(gateway)
        .models.retrieve(name)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(NotFoundError);
      expect(failure).toMatchObject({ code: 'model_not_found', param: 'model', type: 'invalid_request_error' });
    },
  );

  it('with a broken percent-encoding does not exist', async () => {
    const answer = await fetch(`${gateway.url}/v1/models/%E0%A4%A`, { headers: { authorization: `Bearer ${secret}` } });
    expect(answer.status).toBe(404);
  });

  it('that the key may not use does not exist for it', async () => {
    await expect(clientOf(gateway).models.retrieve('openai/gpt-4.1')).resolves.toBeDefined();
    await expect(clientOf(narrow).models.retrieve('openai/gpt-4.1')).rejects.toBeInstanceOf(NotFoundError);
  });
});
