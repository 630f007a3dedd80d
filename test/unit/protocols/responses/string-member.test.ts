import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StringMember } from '../../../../src/protocols/responses/encode-stream/string-member.ts';
import { ResponsesStreamEncoder } from '../../../../src/protocols/responses/encode-stream.ts';
import { responseSettings } from '../../../../src/protocols/responses/response-settings.ts';
import { decodeResponsesRequest } from '../../../../src/protocols/responses/decode-request.ts';
import { outputForm } from '../../../../src/protocols/responses/decode-request/generation-request.ts';
import { seal } from '../../../harness/content-seal.ts';

/** Cuts a text at any positions, within surrogate pairs and escapes, too. */
function cut(text: string, at: readonly number[]): string[] {
  const positions = [...new Set(at.map((position) => position % (text.length + 1)))].toSorted((a, b) => a - b);
  return [...positions, text.length].map((end, index) => text.slice(index === 0 ? 0 : positions[index - 1], end));
}

function read(pieces: readonly string[]): { text: StringMember; parts: string[] } {
  const text = new StringMember('input');
  const parts = [...pieces.map((piece) => text.push(piece)), text.end()];
  return { text, parts };
}

/** A text as JSON, with escapes for any of its characters. */
function escapedJson(text: string, escapes: readonly boolean[]): string {
  const characters = Array.from({ length: text.length }, (_, at) => {
    const code = text.charCodeAt(at);
    return escapes[at % escapes.length] === true
      ? `\\u${code.toString(16).padStart(4, '0')}`
      : JSON.stringify(text.slice(at, at + 1)).slice(1, -1);
  });
  return `"${characters.join('')}"`;
}

const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.constant('😀"\\\n\u2028é/𝒳'));
const cuts = fc.array(fc.nat(), { maxLength: 40 });

describe('a text member that arrives in pieces', () => {
  it('is the text that JSON.parse reads, whatever the cuts, escapes and other members are', () => {
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.boolean(), { minLength: 1 }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 0, max: 2 }),
        cuts,
        (value, escapes, others, indent, at) => {
          const { input: _none, ...members } = others;
          const rest = JSON.stringify(members, null, indent);
          const body = rest.replace(/\}$/, '').trimEnd();
          const json = `${body}${body === '{' ? '' : ','}"input" : ${escapedJson(value, escapes)}, "after": {"input": "no"}}`;
          const { text, parts } = read(cut(json, at));
          expect(text.isFound).toBe(true);
          expect(parts.join('')).toBe(JSON.parse(json).input);
          expect(text.value).toBe(value);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('never has half of a surrogate pair in a part', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.boolean(), { minLength: 1 }),
        cuts,
        (value, escapes, at) => {
          const { parts } = read(cut(`{"input":${escapedJson(value, escapes)}}`, at));
          for (const part of parts) expect(part.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  it('reads any text without an error, and its parts are its value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          texts,
          fc.json().map((json) => `{"input":${json}`),
        ),
        cuts,
        (json, at) => {
          const { text, parts } = read(cut(json, at));
          expect(parts.join('')).toBe(text.value);
        },
      ),
    );
  });

  it.each([
    ['{"a":{"input":"x"}}', null],
    ['{"input":{"input":"x"}}', null],
    ['["input","x"]', null],
    ['"input"', null],
    ['{"input":5}', null],
    ['{"\\u0069nput":"x"}', 'x'],
    ['{"input":"a\nb"}', 'a\nb'],
    ['{"input":"\\d"}', '\\d'],
    ['{"input":"\\u12"}', '\\u12'],
    ['{"input":"cut', 'cut'],
    ['{"input":"cut\\u00', 'cut\\u00'],
    ['{"input":"one","input":"two"}', 'one'],
  ])('of %j is %j', (json, value) => {
    const { text } = read([...json]);
    expect(text.isFound ? text.value : null).toBe(value);
  });
});

describe('the input of a custom tool, of a provider that has functions only', () => {
  const request = decodeResponsesRequest({ model: 'm', input: 'x', tools: [{ type: 'custom', name: 'exec' }] });

  function eventsOf(pieces: readonly string[]): Record<string, unknown>[] {
    const encoder = new ResponsesStreamEncoder(
      responseSettings('resp_1', 0, request),
      (prefix, index) => `${prefix}_${index}`,
      outputForm(request, seal),
    );
    encoder.encode([
      { type: 'tool-call', choice: 0, call: 0, id: 'call_1', name: 'exec', isCustom: false, extraContent: undefined },
      ...pieces.map((text) => ({ type: 'tool-input' as const, choice: 0, call: 0, isCustom: false, text })),
      { type: 'finish', choice: 0, reason: 'tool_calls' },
    ]);
    encoder.end();
    return encoder.take().map(({ json }) => JSON.parse(json));
  }

  it('arrives in deltas as the function’s arguments do, and its end has all of it', () => {
    fc.assert(
      fc.property(texts, cuts, (value, at) => {
        const events = eventsOf(cut(JSON.stringify({ input: value }), at));
        const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
        expect(deltas.map(({ delta }) => delta).join('')).toBe(value);
        expect(deltas.every(({ delta }) => delta !== '')).toBe(true);
        expect(events.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({
          input: value,
        });
        expect(events.find(({ type }) => type === 'response.output_item.done')).toMatchObject({
          item: { type: 'custom_tool_call', name: 'exec', input: value },
        });
      }),
    );
  });

  it('has a delta for each piece of the arguments', () => {
    const events = eventsOf(['{"in', 'put":"ls ', '-l\\', 'n', 'pwd', '"}']);
    const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta');
    expect(deltas.map(({ delta }) => delta)).toEqual(['ls ', '-l', '\n', 'pwd']);
  });

  it.each(['ls', '{"command":"ls"}', '{"input":['])(
    'is what the model wrote, where that is not the object: %s',
    (written) => {
      const events = eventsOf([written]);
      expect(events.find(({ type }) => type === 'response.custom_tool_call_input.delta')).toMatchObject({
        delta: written,
      });
      expect(events.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({
        input: written,
      });
    },
  );
});
