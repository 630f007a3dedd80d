import { afterAll, beforeAll, expect, it } from 'vitest';
import { explainCost } from '../../../src/catalogue/prices/explain-cost.ts';
import { tokenUsage } from '../../../src/gateway/capabilities/capability.ts';
import { chunk, completion, pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function ask(model: string, stream: boolean): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream,
      ...(stream && { stream_options: { include_usage: true } }),
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  expect(answer.status).toBe(200);
  return answer.text();
}

const usage = {
  prompt_tokens: 1_000,
  completion_tokens: 100,
  total_tokens: 1_100,
  prompt_tokens_details: { cached_tokens: 400 },
};

/** GPT-5 of the catalogue: 1.25, 0.125 and 10 USD; 0.625, 0.0625 and 5 in the flex class, twice as much in priority. */
it.each([
  // 600 x 1,250 + 400 x 125 + 100 x 10,000 nano-USD
  ['default', '1800000', undefined],
  ['flex', '900000', { serviceTier: 'flex' }],
  ['priority', '3600000', { serviceTier: 'priority' }],
])('a response of the service tier %s has the price of that tier', async (tier, cost, units) => {
  provider.answerWith(completion({ usage, service_tier: tier }));
  const count = gateway.settled().length + 1;
  await ask('openai/gpt-5', false);
  const record = (await gateway.settledCount(count)).at(-1);
  expect(record).toMatchObject({ cost_nano: cost });
  expect(record?.units).toEqual(units);
  const { rates } = record ?? {};
  if (!rates) throw new Error('no rates were recorded');
  const steps = explainCost(rates, { ...tokenUsage(1_000, 100), cachedTokens: 400, ...record?.units });
  expect(steps.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(BigInt(cost));
  expect(steps[0]?.label).toBe(units === undefined ? 'input tokens' : `input tokens (${tier} service)`);
});

it('a stream of another service tier reports and bills the price of that tier', async () => {
  const more = { service_tier: 'flex', usage: null };
  provider.answerWith(
    pieces(
      [
        chunk({ role: 'assistant', content: 'Hello' }, null, more),
        chunk({}, 'stop', more),
        chunk({}, null, { choices: [], service_tier: 'flex', usage }),
        'data: [DONE]\n\n',
      ],
      'end',
    ),
  );
  const count = gateway.settled().length + 1;
  expect(await ask('openai/gpt-5', true)).toContain('"cost":0.0009');
  expect((await gateway.settledCount(count)).at(-1)).toMatchObject({ cost_nano: '900000' });
});

it('a service tier without rates of its own has the default price', async () => {
  provider.answerWith(completion({ usage, service_tier: 'flex' }));
  const count = gateway.settled().length + 1;
  await ask('openai/gpt-4-turbo', false);
  const [listed] = (await gateway.settledCount(count)).slice(-1);
  provider.answerWith(completion({ usage }));
  await ask('openai/gpt-4-turbo', false);
  const [again] = (await gateway.settledCount(count + 1)).slice(-1);
  expect(listed?.rates).toEqual(again?.rates);
  expect(listed?.cost_nano).toBe(again?.cost_nano);
});
