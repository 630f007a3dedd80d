import { expect, it } from 'vitest';
import { json } from '../../../harness/fake-provider.ts';
import { startWithProvider } from '../embeddings/gateway-with-provider.ts';
import { describeProvider } from '../provider-contract.ts';

describeProvider({
  id: 'scaleway',
  url: 'https://api.scaleway.ai/v1/chat/completions',
  refuses: { frequency_penalty: 1, logit_bias: { '42': 5 }, n: 2, user: 'someone' },
  renames: { max_completion_tokens: ['max_tokens', 64] },
});

it('requests embeddings from Scaleway without the parameters that it does not support', async () => {
  const answer = { data: [{ index: 0, embedding: [1, 0.5] }], usage: { prompt_tokens: 3, total_tokens: 3 } };
  const gateway = await startWithProvider('scaleway', json(200, answer));
  try {
    const request = { input: 'Hello', dimensions: 2, user: 'someone', encoding_format: 'base64' };
    const response = await gateway.post('/embeddings', { model: 'scaleway/bge-multilingual-gemma2', ...request });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')?.split(', ').toSorted()).toEqual(['dimensions', 'user']);
    expect(gateway.upstream.requests[0]?.json).toEqual({ model: 'bge-multilingual-gemma2', input: 'Hello' });
  } finally {
    await gateway.close();
  }
});
