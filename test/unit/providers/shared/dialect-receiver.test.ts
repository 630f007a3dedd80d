import { array, assert, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SluiceError } from '../../../../src/errors/index.ts';
import { DialectReceiver } from '../../../../src/providers/shared/openai-compatible/dialect/dialect-receiver.ts';
import type { Dialect } from '../../../../src/providers/shared/openai-compatible/dialect/dialect.ts';
import { mistralAnswers } from '../../../../src/providers/mistral/answer.ts';
import { cachedTokensIn } from '../../../../src/providers/shared/openai-compatible/dialect/usage.ts';
import { readEventData } from '../../../harness/read-events.ts';

const dialect: Dialect = {
  marks: /"(?:cached_tokens|too_long|broken)"/,
  usage: cachedTokensIn('cached_tokens'),
  finishReasons: { too_long: 'length', broken: 'error' },
};

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, cached_tokens: 4 };
const openAiUsage = { ...usage, prompt_tokens_details: { cached_tokens: 4 } };

/** What the gateway receives of a response in these pieces. */
function relay(pieces: readonly (string | Buffer)[], type: string, spoken: Dialect = dialect): string {
  const parts: Buffer[] = [];
  let ended = false;
  const receiver = new DialectReceiver('some', spoken, {
    onConnecting: () => undefined,
    onHead: (status) => expect(status).toBe(200),
    onData: (bytes) => void parts.push(bytes),
    onEnd: () => void (ended = true),
    onFailure: (error: SluiceError) => expect.fail(error.message),
  });
  receiver.onHead(200, { 'content-type': type });
  for (const piece of pieces) receiver.onData(Buffer.from(piece));
  receiver.onEnd();
  expect(ended).toBe(true);
  return Buffer.concat(parts).toString();
}

const streamed = (pieces: readonly (string | Buffer)[], spoken?: Dialect) =>
  relay(pieces, 'text/event-stream; charset=utf-8', spoken);
const whole = (text: string, spoken?: Dialect) => relay([text], 'application/json', spoken);
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (members: object, reason: string | null = null, more: object = {}) => ({
  choices: [{ index: 0, delta: members, finish_reason: reason }],
  ...more,
});

describe('a stream with a dialect', () => {
  const plain = [
    ': keep-alive\n\n',
    'event: x\nid: 3\ndata:  {"choices" : [ ] , "text":"Grüße 🙂 \\"cached_tokens\\" said"}\n\n',
    'data: no JSON\n\n',
    event(delta({ content: 'naïve' })),
  ];

  it('relays events without marks byte for byte, including comments and unknown fields', () => {
    const text = [...plain, 'data: [DONE]\n\n'].join('');
    expect(streamed([text])).toBe(text);
  });

  it('rewrites only events with a mark, wherever the bytes are split', () => {
    const bytes = Buffer.from([...plain, event(delta({}, 'too_long', { usage })), 'data: [DONE]\n\n'].join(''));
    const expected = [...plain, event(delta({}, 'length', { usage: openAiUsage })), 'data: [DONE]\n\n'].join('');
    assert(
      property(array(nat(bytes.length)), (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(streamed(pieces)).toBe(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('reads all line endings of server-sent events, and a last event without its blank line', () => {
    const last = JSON.stringify(delta({}, 'too_long'));
    for (const newline of ['\n', '\r\n', '\r']) {
      const text = [`data: ${last}`, '', 'data: {"a":1}', '', `data: ${last}`].join(newline);
      const pieces = text.split(/(?<=\r)/);
      expect(streamed(pieces)).toBe(`${event(delta({}, 'length'))}data: {"a":1}\n\n${event(delta({}, 'length'))}`);
    }
  });

  it('relays events unchanged that cannot be parsed', () => {
    const text =
      'data: {"cached_tokens"\n\ndata: ["too_long"]\n\ndata: {"choices":"broken","usage":["cached_tokens"]}\n\n';
    expect(streamed([text])).toBe(text);
  });

  it('reports a finish reason that is a failure as an error', () => {
    const [result] = [streamed([event(delta({ content: 'Hal' }, 'broken'))])];
    expect(JSON.parse(result.slice(6))).toEqual({
      error: { message: 'The model stopped: broken', type: 'server_error', param: null, code: 'broken' },
    });
  });

  it('finds the usage in a choice', () => {
    const choice = { index: 0, delta: {}, finish_reason: 'stop', usage };
    const [chunk] = [JSON.parse(streamed([event({ choices: [choice] })]).slice(6))];
    expect(chunk.usage).toEqual(openAiUsage);
  });

  it('fails when an event never ends', () => {
    const codes: string[] = [];
    let aborted = false;
    const receiver = new DialectReceiver('some', dialect, {
      onConnecting: () => undefined,
      onHead: () => undefined,
      onData: () => expect.fail('half an event'),
      onEnd: () => expect.fail('a clean end'),
      onFailure: (error) => void codes.push(error.code),
    });
    receiver.onConnecting({ pause: () => undefined, resume: () => undefined, abort: () => void (aborted = true) });
    receiver.onHead(200, { 'content-type': 'text/event-stream' });
    for (let sent = 0; sent < 20; sent++) receiver.onData(Buffer.alloc(1024 * 1024, 'x'));
    receiver.onEnd();
    expect(codes).toEqual(['provider_invalid_response']);
    expect(aborted).toBe(true);
  });
});

describe('a document with a dialect', () => {
  it('is relayed byte for byte if nothing changes', () => {
    for (const text of [
      '{ "choices" : [], "usage" : null }',
      'no JSON "broken"',
      '{"usage":{"prompt_tokens":1},"x":"broken"}',
    ])
      expect(whole(text)).toBe(text);
  });

  it('is rewritten if it differs', () => {
    const message = { role: 'assistant', content: 'Hi' };
    const choice = { index: 0, message, finish_reason: 'too_long' };
    expect(JSON.parse(whole(JSON.stringify({ choices: [choice], usage })))).toEqual({
      choices: [{ ...choice, finish_reason: 'length' }],
      usage: openAiUsage,
    });
    expect(JSON.parse(whole(JSON.stringify({ choices: [{ ...choice, finish_reason: 'broken' }] })))).toMatchObject({
      error: { code: 'broken' },
    });
  });
});

describe('tool calls of a stream with a dialect', () => {
  const call = (members: object) => event(delta({ tool_calls: [members] }));
  const calls = (...events: string[]): unknown[] =>
    readEventData(streamed(events, mistralAnswers)).map((chunk) => chunk.choices[0].delta.tool_calls);

  it('get missing indexes and types, each call its own', () => {
    const result = calls(
      call({ id: 'a', function: { name: 'one', arguments: '{"x"' } }),
      call({ function: { arguments: ':1}' } }),
      event(
        delta({
          tool_calls: [
            { id: 'b', function: { name: 'two', arguments: {} } },
            { id: 'c', function: { name: 'three', arguments: '{}' } },
          ],
        }),
      ),
      call({ id: 'a', function: { arguments: ' ' } }),
    );
    expect(result).toEqual([
      [{ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{"x"' } }],
      [{ index: 0, function: { arguments: ':1}' } }],
      [
        { index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '{}' } },
        { index: 2, id: 'c', type: 'function', function: { name: 'three', arguments: '{}' } },
      ],
      [{ index: 0, id: 'a', function: { arguments: ' ' } }],
    ]);
  });

  it('that all have index 0 get distinct indexes', () => {
    const result = calls(
      call({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } }),
      call({ index: 0, id: 'b', type: 'function', function: { name: 'two', arguments: '{}' } }),
    );
    expect(result).toMatchObject([[{ index: 0, id: 'a' }], [{ index: 1, id: 'b' }]]);
    const inPieces = calls(
      call({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } }),
      call({ index: 0, id: 'b', type: 'function', function: { name: 'two', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"x":' } }),
      call({ index: 0, id: 'b', function: { arguments: '1}' } }),
      call({ index: 1, id: 'c', type: 'function', function: { name: 'three', arguments: '{}' } }),
      call({ index: 4_000_000_000, id: 'd', type: 'function', function: { name: 'four', arguments: '{}' } }),
    );
    expect(inPieces.flat()).toMatchObject([0, 1, 1, 1, 2, 4_000_000_000].map((index) => ({ index })));
  });

  it('that repeat their complete arguments are sent once', () => {
    const members = { index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } };
    const result = calls(call(members), call(members));
    expect(result).toEqual([[members], [{ ...members, function: { name: 'one', arguments: '' } }]]);
  });

  it('are unchanged if nothing is missing', () => {
    const text = [
      call({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } }),
      call({ index: 0, function: { arguments: '{"x":' } }),
      call({ index: 0, function: { arguments: '{"x":' } }),
      call({ index: 0, function: { arguments: '1}}' } }),
    ];
    expect(streamed(text, mistralAnswers)).toBe(text.join(''));
  });
});
