import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../../../src/protocols/canonical/stream-part.ts';
import { decodeGeminiRequest } from '../../../../src/protocols/gemini/decode-request.ts';
import { GeminiEncoder } from '../../../../src/protocols/gemini/encode-stream.ts';

const thought = { type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'Thinking.', signature: 'signed' };
const second = { type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'Again.', signature: 'signed, too' };

const reasoning = (detail: object): StreamPart => ({ type: 'reasoning-detail', choice: 0, detail: { ...detail } });
const text = (said: string): StreamPart => ({ type: 'text', choice: 0, text: said, logprobs: [] });
const call: readonly StreamPart[] = [
  { type: 'tool-call', choice: 0, call: 0, id: 'call-1', name: 'look', isCustom: false, extraContent: undefined },
  { type: 'tool-input', choice: 0, call: 0, isCustom: false, text: '{}' },
];

interface Part {
  readonly text?: string;
  readonly thoughtSignature?: string;
}

/** The parts of a streamed response, each of which arrived by itself. */
function partsOf(stream: readonly StreamPart[]): Part[] {
  const encoder = new GeminiEncoder({ id: 'r', model: 'm' }, 'array');
  const bytes = [...stream.map((part) => encoder.encode([part])), encoder.end()];
  const chunks = JSON.parse(Buffer.concat(bytes).toString());
  return chunks
    .flatMap(({ candidates }: { candidates: { content: { parts: Part[] } }[] }) => candidates[0]?.content.parts ?? [])
    .filter((part: Part) => part.text !== '' || part.thoughtSignature !== undefined);
}

/** The reasoning that is read when a client returns these parts. */
function readFrom(parts: readonly Part[]): unknown {
  const { messages } = decodeGeminiRequest({ contents: [{ role: 'model', parts }] }).chat;
  return Array.isArray(messages) ? messages[0].reasoning_details : null;
}

/** As Gemini CLI does: a text with the members of its first part. */
function joined(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last?.text && part.text !== undefined) whole[whole.length - 1] = { ...last, text: last.text + part.text };
    else whole.push(part);
  }
  return whole;
}

describe('signed reasoning of another provider', () => {
  it.each<[string, StreamPart[], object[]]>([
    ['a text', [reasoning(thought), text('Hel'), text('lo')], [thought]],
    ['a call', [reasoning(thought), ...call], [thought]],
    ['a text and a call', [reasoning(thought), text('Hel'), text('lo'), ...call], [thought]],
    ['several thoughts before a text', [reasoning(thought), reasoning(second), text('Hello')], [thought, second]],
    ['a text between thoughts', [reasoning(thought), text('Hello'), reasoning(second), ...call], [thought, second]],
    ['two texts with a thought each', [reasoning(thought), text('a'), reasoning(second), text('b')], [thought, second]],
    [
      'the same thought before two calls',
      [reasoning(thought), ...call, reasoning(thought), ...call],
      [thought, thought],
    ],
    ['a thought behind the text', [text('Hello'), reasoning(thought)], [thought]],
  ])('returns once from the parts of %s', (_name, stream, expected) => {
    expect(readFrom(partsOf(stream))).toEqual(expected);
  });

  it('returns from a client that joins texts', () => {
    const parts = joined(partsOf([reasoning(thought), text('Hel'), text('lo')]));
    expect(parts.map(({ text: said }) => said)).toEqual(['Hello']);
    expect(readFrom(parts)).toEqual([thought]);
  });

  it('is in the call too, for a client that returns the signatures of calls only', () => {
    const parts = partsOf([reasoning(thought), text('Hello'), ...call]);
    expect(readFrom(parts.slice(1))).toEqual([thought]);
  });
});

it("Google's value for a missing signature is none", () => {
  const thoughtSignature = 'skip_thought_signature_validator';
  const parts = [
    { text: 'Hello', thoughtSignature },
    { functionCall: { name: 'look', args: {} }, thoughtSignature },
  ];
  expect(readFrom(parts)).toBeUndefined();
});
