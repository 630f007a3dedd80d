import { expect, it } from 'vitest';
import { completion } from '../harness/fake-provider.ts';
import { describeProvider } from './provider-contract.ts';
import { sluiceTells } from './told.ts';

describeProvider({ id: 'cerebras', refuses: { frequency_penalty: 1, logit_bias: { '42': 5 }, presence_penalty: 1 } });

it.each(['cerebras', 'deepseek', 'perplexity', 'moonshot', 'alibaba', 'zai', 'minimax', 'mistral'])(
  'sends a developer’s message to %s as a system’s',
  async (provider) => {
    const messages = [
      { role: 'developer', content: 'Be brief' },
      { role: 'user', content: 'Hello' },
    ];
    const { received } = await sluiceTells({ provider, script: completion(), streamed: false, request: { messages } });
    expect(received[0]?.json.messages).toEqual([{ role: 'system', content: 'Be brief' }, messages[1]]);
  },
);
