import { APIError } from 'openai';
import { expect, it } from 'vitest';
import { completion } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { replayDocument, readThroughSluice } from '../replay.ts';

describeProvider({
  id: 'minimax',
  url: 'https://api.minimax.io/v1/chat/completions',
  refuses: { logit_bias: { '42': 5 }, n: 2, presence_penalty: 1 },
});

it('fails if MiniMax reports an error with status 200', async () => {
  const body = { id: 'x', choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } };
  const asked = { provider: 'minimax', streamed: false, script: replayDocument(JSON.stringify(body)) };
  const error = await readThroughSluice(asked).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(APIError);
  expect(error).toMatchObject({ status: 502 });
  expect(String(error)).toContain('insufficient balance');
});

it('relays MiniMax’s response if it reports success', async () => {
  const script = completion({ base_resp: { status_code: 0, status_msg: '' } });
  expect(await readThroughSluice({ provider: 'minimax', streamed: false, script })).toMatchObject({ finish: 'stop' });
});
