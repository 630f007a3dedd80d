import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatStream } from '../../../../../src/gateway/capabilities/chat/stream/chat-stream.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

interface Outcome {
  readonly events: unknown[];
  readonly usage: unknown;
  readonly finishReason: string | null;
  readonly done: boolean;
  readonly failed: string | undefined;
}

/** Relays blocks of Latin-1 over UTF-8; `watched` parses each event, which is what the quick ways are held against. */
function relayed(blocks: readonly string[], options: { watched: boolean; wantsUsage: boolean }): Outcome {
  const stream = new ChatStream({
    contentType: 'text/event-stream',
    summary: null,
    provider: 'fake',
    wantsUsage: options.wantsUsage,
    pricing: { costOf: () => 500_000_000n },
    watched: () => options.watched,
    watch: () => undefined,
  });
  const parts = blocks.map((block) => stream.push(Buffer.from(block, 'latin1')) ?? Buffer.alloc(0));
  const events = Buffer.concat(parts)
    .toString()
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) =>
      JSON.parse(event.replace('data: ', ''), (name, value) =>
        name === 'usage' && value === null ? undefined : value,
      ),
    );
  const { usage: counted, finishReason, done, failure } = stream;
  // Output that is counted is so by the bytes, which differ where events are written again.
  return { events, usage: counted?.inputTokens, finishReason, done, failed: failure?.message };
}

const choice = (delta: object, finish: string | null): object => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason: finish,
});
const chunk = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: 'binary' }).map((content) => ({ choices: [choice({ content }, null)], usage: null })),
  },
  fc.string().map((obfuscation) => ({ choices: [choice({ content: 'x' }, null)], usage: null, obfuscation })),
  fc.constant({ choices: [choice({ content: ',"usage":null}\n\n"finish_reason":null}]' }, null)] }),
  fc.constant({ id: 'x', usage: null, choices: [choice({ content: 'before' }, null)] }),
  fc.constant({ choices: [choice({}, 'stop')], usage: null }),
  fc.constant({ choices: [choice({}, 'stop')], usage }),
  fc.constant({ choices: [], usage }),
  fc.constant({ error: { message: 'broke', type: 'server_error' } }),
  fc.constant({ id: 'x', error: { message: 'broke later' } }),
);
const stream = fc.array(fc.oneof({ weight: 20, arbitrary: chunk }, fc.constant('[DONE]' as const)), {
  minLength: 1,
  maxLength: 30,
});

/** Cut into blocks anywhere: the relay puts events together again. */
function blocksOf(text: string, cuts: readonly number[]): string[] {
  const bytes = Buffer.from(text).toString('latin1');
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.slice(from, at[index] ?? bytes.length));
}

describe('a relayed chat stream', () => {
  it.each([
    { name: 'compact', space: undefined },
    { name: 'spaced', space: ' ' },
  ])('is the same whether its events are parsed or recognised by their suffix ($name)', ({ space }) => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 6 }), fc.boolean(), (chunks, cuts, wantsUsage) => {
        const text = chunks.map((each) => `data: ${each === '[DONE]' ? each : written(each, space)}\n\n`).join('');
        const blocks = blocksOf(text, cuts);
        const parse = (watched: boolean): Outcome => relayed(blocks, { watched, wantsUsage });
        expect(parse(false)).toEqual(parse(true));
      }),
      { numRuns: 500 },
    );
  });

  it('removes the usage of events with a common suffix, and keeps their text', () => {
    const event = `data: ${JSON.stringify({ choices: [choice({ content: 'a' }, null)], usage: null })}\n\n`;
    const { events } = relayed([event.repeat(40)], { watched: false, wantsUsage: false });
    expect(events).toHaveLength(40);
    expect(new Set(events.map((each) => JSON.stringify(each)))).toEqual(
      new Set([JSON.stringify({ choices: [choice({ content: 'a' }, null)] })]),
    );
  });
});

/** As JavaScript writes JSON, or as Python does. */
function written(value: unknown, space: string | undefined): string {
  const json = JSON.stringify(value);
  return space === undefined
    ? json
    : JSON.stringify(value, null, 1).replace(/\n\s*/g, (_gap, at, whole: string) => (whole[at - 1] === ',' ? ' ' : ''));
}

describe('an error within a stream', () => {
  it.each([
    [{ message: 'busy', type: 'overloaded_error', code: 'overloaded_error' }, 503, 'provider_overloaded'],
    [{ message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded' }, 400, 'provider_error'],
    [{ message: 'slow down', type: 'rate_limit_error', code: null }, 429, 'provider_error'],
    [{ message: 'not found', code: 404 }, 404, 'provider_error'],
    [{ message: 'no such user', code: 401 }, 502, 'provider_credentials'],
    [{ message: 'not allowed', code: '403' }, 502, 'provider_credentials'],
    [{ message: 'bad key', type: 'authentication_error' }, 502, 'provider_credentials'],
    [{ message: 'pay first', code: 402 }, 402, 'provider_error'],
    [{ message: 'pay first', type: 'insufficient_quota', code: 'insufficient_quota' }, 429, 'provider_error'],
    [{ message: 'too slow', code: 408 }, 502, 'provider_error'],
    [{ message: 'busy', code: 503 }, 503, 'provider_overloaded'],
    [{ message: 'broke', type: 'server_error', code: null }, 502, 'provider_error'],
    ['broke', 502, 'provider_error'],
  ])('%j has status %i', (error, status, code) => {
    const stream = new ChatStream({
      contentType: 'text/event-stream',
      summary: null,
      provider: 'fake',
      wantsUsage: false,
      pricing: { costOf: () => 0n },
      watched: () => false,
      watch: () => undefined,
    });
    expect(stream.push(Buffer.from(`data: ${JSON.stringify({ error })}\n\n`))).toBeNull();
    expect(stream.failure).toMatchObject({ status, code });
  });

  it('keeps its message in any language', () => {
    const stream = new ChatStream({
      contentType: 'text/event-stream',
      summary: null,
      provider: 'fake',
      wantsUsage: false,
      pricing: { costOf: () => 0n },
      watched: () => false,
      watch: () => undefined,
    });
    const error = { message: 'Überlastet, 稍后再试', type: 'rate_limit_error' };
    stream.push(Buffer.from(`data: ${JSON.stringify({ error })}\n\n`));
    expect(stream.failure?.message).toContain(error.message);
  });
});
