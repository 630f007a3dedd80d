import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { collectResult } from '../../../../src/protocols/canonical/generation-result.ts';
import { StreamPartWriter } from '../../../../src/protocols/canonical/stream-part-writer.ts';
import { ResponsesDecoder } from '../../../../src/protocols/responses/decode-stream.ts';
import { ResponsesObserver } from '../../../../src/protocols/responses/observe-usage.ts';

const recordings = new URL('../../../fixtures/providers/', import.meta.url);
const streams = ['openai-responses', 'xai-responses', 'open-responses'].flatMap((folder) =>
  readdirSync(new URL(folder, recordings))
    .filter((file) => file.endsWith('.chunks.txt'))
    .map((file) => `${folder}/${file}`),
);

/** The data of the first response of a recording: some have that of the next turn, too. */
function eventsOf(name: string): string[] {
  const lines = readFileSync(new URL(name, recordings), 'utf8').split('\n').filter(Boolean);
  const end = lines.findIndex((line) => JSON.parse(line).type === 'response.completed');
  return end < 0 ? lines : lines.slice(0, end + 1);
}

function observed(events: readonly string[], line = (data: string) => `data: ${data}\n\n`): ResponsesObserver {
  const observer = new ResponsesObserver();
  for (const event of events) observer.observe(Buffer.from(line(event)).toString('latin1'));
  return observer;
}

function delta(text: string): string {
  return JSON.stringify({ type: 'response.output_text.delta', delta: text });
}

describe('what is observed of a stream', () => {
  it.each(streams)('is what decoding all of it finds: %s', (name) => {
    const events = eventsOf(name);
    const writer = new StreamPartWriter('m');
    const decoder = new ResponsesDecoder(writer);
    for (const event of events) decoder.event(JSON.parse(event));
    writer.writeUsage();
    const { usage, error, start } = collectResult(writer.take() ?? []);
    const observer = observed(events);
    expect(observer.usage).toEqual(usage);
    expect(observer.error?.message ?? null).toEqual(error?.message ?? null);
    if (error === null) expect(observer).toMatchObject({ isDone: true, model: start?.model });
  });

  it('counts what was produced, and starts with the first output', () => {
    const created = JSON.stringify({ type: 'response.created', response: { id: 'resp_1', model: 'm' } });
    const observer = observed([created]);
    expect(observer).toMatchObject({ hasOutput: false, outputBytes: 0, model: 'm', response: { id: 'resp_1' } });
    observer.observe(`data: ${delta('x'.repeat(400))}\n\n`);
    expect(observer.hasOutput).toBe(true);
    expect(observer.outputBytes).toBeGreaterThanOrEqual(400);
    expect(observer.outputBytes).toBeLessThan(420);
  });

  it.each(streams)('counts the same with all events named and in one chunk: %s', (name) => {
    const named = eventsOf(name).map((data) => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`);
    const each = named.map((event) => observed([event], (text) => text).outputBytes);
    const together = observed([named.join('')], (text) => text);
    expect(together.outputBytes).toBe(each.reduce((sum, bytes) => sum + bytes, 0));
    expect(together.isDone).toBe(together.error === null);
  });

  it('counts nothing for an event that ends before the place of the delta before it', () => {
    const long = `event: response.output_text.delta\ndata: ${JSON.stringify({ item_id: 'x'.repeat(80), delta: 'hello' })}\n\n`;
    const short = 'event: response.output_text.done\ndata: {}\n\n';
    const bytes = observed([long], (text) => text).outputBytes;
    expect(observed([long + short + long], (text) => text).outputBytes).toBe(2 * bytes);
  });

  it('is not misled by a text that looks like an end', () => {
    const observer = observed([delta('{"type":"response.completed","response":{"usage":{"input_tokens":9}}}')]);
    expect(observer).toMatchObject({ isDone: false, usage: null, finishReason: null });
  });

  describe.each([
    ['with the type before the data', (data: string) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`],
    ['with the type in the data', (data: string) => `data: ${data}\n\n`],
    [
      'with the type as the last member',
      (data: string) => {
        const { type, ...members } = JSON.parse(data);
        return `data: ${JSON.stringify({ ...members, type })}\n\n`;
      },
    ],
  ])('%s', (_how, line) => {
    const kinds = { type: 'string', enum: ['response.completed', 'response.created', 'error'] };
    const parameters = { type: 'object', properties: { delta: kinds, type: kinds }, examples: [{ type: 'error' }] };
    const response = { id: 'resp_1', model: 'm', tools: [{ type: 'function', name: 'watch', parameters }] };
    const created = JSON.stringify({ type: 'response.created', response });
    const usage = { input_tokens: 7, output_tokens: 3 };
    const end = { type: 'response.completed', response: { ...response, status: 'completed', output: [], usage } };

    it('is not misled by tools whose members are named like those of events', () => {
      const begun = observed([created, created.replace('created', 'in_progress')], line);
      expect(begun).toMatchObject({ hasOutput: false, isDone: false, error: null, response: { id: 'resp_1' } });
      const ended = observed([created, delta('Hello'), JSON.stringify(end)], line);
      expect(ended).toMatchObject({ isDone: true, error: null, usage: { inputTokens: 7, outputTokens: 3 } });
      expect(ended.outputBytes).toBeLessThan(60);
    });
  });

  it.each([
    ['completed', {}, 'stop'],
    ['completed', { output: [{ type: 'function_call' }] }, 'tool_calls'],
    ['completed', { output: [{ type: 'custom_tool_call' }] }, 'tool_calls'],
    ['incomplete', { incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    ['incomplete', { incomplete_details: { reason: 'content_filter' } }, 'content_filter'],
  ])('a response that is %s with %j has the finish reason %s', (status, members, reason) => {
    const end = JSON.stringify({ type: `response.${status}`, response: { status, ...members } });
    expect(observed([end], (data) => `event: response.${status}\ndata: ${data}\n\n`)).toMatchObject({
      finishReason: reason,
      isDone: true,
    });
  });

  it('reports an error before any output as one', () => {
    const failed = { type: 'response.failed', response: { status: 'failed', error: { code: 'x', message: 'No.' } } };
    expect(observed([JSON.stringify(failed)]).error).toEqual({ code: 'x', message: 'No.', type: 'server_error' });
    const event = { type: 'error', code: 'rate_limit_exceeded', message: 'Slower.' };
    expect(observed([JSON.stringify(event)]).error).toMatchObject({ code: 'rate_limit_exceeded', message: 'Slower.' });
  });
});
