import { createOpenAI } from '@ai-sdk/openai';
import { APIError } from 'openai';
import { expect, it } from 'vitest';
import { json } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { recording, readThroughSluice } from '../replay.ts';

const refused = 'reasoning-model-legacy-parameter-error.json';

describeProvider({
  id: 'openai',
  url: 'https://api.openai.com/v1/chat/completions',
  oracle: (baseURL) => createOpenAI({ baseURL, apiKey: 'key' }).chat('recorded-model'),
  except: [refused],
});

it('relays OpenAI’s error of a reasoning model unchanged', async () => {
  const body = recording(`openai/${refused}`);
  const asked = { provider: 'openai', script: json(400, body), streamed: false, request: { max_tokens: 9 } };
  const error = await readThroughSluice(asked).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(APIError);
  expect(error).toMatchObject({ status: 400, error: JSON.parse(body).error });
});
