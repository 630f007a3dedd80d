import { expect, it } from 'vitest';
import { completion } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { readThroughSluice } from '../replay.ts';

describeProvider({
  id: 'baseten',
  url: 'https://inference.baseten.co/v1/chat/completions',
  refuses: { functions: [{ name: 'f' }], metadata: { team: 'a' }, n: 2, store: true },
  renames: { max_completion_tokens: ['max_tokens', 64] },
});

it('sends the role `developer` to Baseten as `system`', async () => {
  const messages = [
    { role: 'developer', content: 'Be brief' },
    { role: 'user', content: 'Hello' },
  ];
  const request = { messages, n: 1 };
  const { received } = await readThroughSluice({ provider: 'baseten', script: completion(), streamed: false, request });
  expect(received[0]?.json).toMatchObject({ n: 1, messages: [{ role: 'system' }, { role: 'user' }] });
});
