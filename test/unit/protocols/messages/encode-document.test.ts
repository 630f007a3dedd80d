import { describe, expect, it } from 'vitest';
import type { GenerationResult } from '../../../../src/protocols/canonical/generation-result.ts';
import { MessagesEncoder } from '../../../../src/protocols/messages/encode-stream.ts';

const format = 'anthropic-claude-v1';
const choice: GenerationResult['choices'][number] = {
  reasoning: 'First I look. Then I compare.',
  text: 'Done.',
  logprobs: [],
  refusal: null,
  calls: [],
  images: [],
  citations: [],
  reasoningDetails: [],
  finishReason: 'stop',
};

function contentOf(given: Partial<typeof choice>): unknown {
  const encoder = new MessagesEncoder({ id: 'msg_1', model: 'm', requestId: null });
  const start = { type: 'start', id: 'x', model: 'm', created: 1 } as const;
  const document = encoder.document({ start, choices: [{ ...choice, ...given }], usage: null });
  return (JSON.parse(document.toString()) as { content: unknown }).content;
}

describe('the thinking of an unstreamed message', () => {
  it('has a block for each signature, which signs the text of that block', () => {
    const reasoningDetails = [
      { type: 'reasoning.text', format, text: 'First I look. ', signature: 'S1' },
      { type: 'reasoning.encrypted', format, data: 'redacted' },
      { type: 'reasoning.text', format, text: 'Then I compare.', signature: 'S2' },
    ] as const;
    expect(contentOf({ reasoningDetails: [...reasoningDetails] })).toEqual([
      { type: 'thinking', thinking: 'First I look. ', signature: 'S1' },
      { type: 'redacted_thinking', data: 'redacted' },
      { type: 'thinking', thinking: 'Then I compare.', signature: 'S2' },
      { type: 'text', text: 'Done.', citations: null },
    ]);
  });

  it('is one block where one signature signs all of it, or where the texts of several are not its own', () => {
    const one = { type: 'reasoning.text', format, text: 'First I look. Then I compare.', signature: 'S' } as const;
    const whole = { type: 'thinking', thinking: 'First I look. Then I compare.', signature: 'S' };
    expect(contentOf({ reasoningDetails: [one] })).toEqual([whole, { type: 'text', text: 'Done.', citations: null }]);
    const others = [one, { ...one, text: 'something else' }];
    expect(contentOf({ reasoningDetails: others })).toMatchObject([whole, { type: 'thinking' }, { type: 'text' }]);
  });
});
