import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../src/errors/index.ts';
import { classify } from '../../../src/gateway/routing/health/failure-class.ts';
import type { ChatDialect } from '../../../src/providers/bridge/chat-dialect.ts';
import { promptOf } from '../../../src/providers/bridge/prompt.ts';
import { assistantBlocks } from '../../../src/protocols/messages/encode-request/assistant-blocks.ts';
import { readAnthropicError } from '../../../src/protocols/messages/errors.ts';
import { FunctionCalls, ToolIds } from '../../../src/protocols/messages/encode-request/tool-ids.ts';
import { readGoogleError } from '../../../src/protocols/gemini/errors.ts';
import type { UpstreamReceiver } from '../../../src/providers/contract.ts';
import { readMistralError } from '../../../src/providers/mistral/error.ts';
import { DialectReceiver } from '../../../src/providers/shared/openai-compatible/dialect/dialect-receiver.ts';
import { errorOf } from '../../../src/protocols/responses/response-parts.ts';
import { boundedText } from '../../../src/providers/shared/http/bounded-text.ts';
import type { ChatMessage } from '../../../src/protocols/canonical/generation-request.ts';
import { SseEvents } from '../../../src/providers/shared/sse/sse-events.ts';

const dialect: ChatDialect = {
  supportedParams: [],
  reasoning: null,
  supportsInterleavedInstructions: true,
  requiresToolsForCalls: false,
  supportsFile: () => true,
  fetchesImages: true,
};

/** Receives a successful response into `result`. */
function receiving(result: Buffer[]): UpstreamReceiver {
  return {
    onConnecting: () => undefined,
    onHead: () => undefined,
    onData: (bytes) => void result.push(bytes),
    onEnd: () => undefined,
    onFailure: (error) => expect.fail(error.message),
  };
}

function packagePrompt(messages: readonly ChatMessage[]) {
  return promptOf('some', dialect, { messages }, false);
}

/** Values of a client or a provider's server. Each of these took minutes, or unbounded memory, when the work was quadratic. */
describe('long values', () => {
  it('remain distinct as tool call ids that Anthropic would truncate', () => {
    const ids = new ToolIds();
    const made = Array.from({ length: 100_000 }, (_, index) => ids.of(`${'a'.repeat(70)}!${index}`));
    expect(new Set(made).size).toBe(made.length);
    expect(ids.of(`${'a'.repeat(70)}!7`)).toBe(made[7]);
  });

  it('are accepted as texts between signed thinking blocks', () => {
    const count = 30_000;
    const content = Array.from({ length: count }, () => ({ type: 'text' as const, text: 'ab' }));
    const reasoningDetails = Array.from({ length: count }, (_, index) => ({
      type: 'reasoning.text',
      format: 'anthropic-claude-v1',
      id: `after:${index * 2}:0`,
      text: 't',
      signature: 's',
    }));
    const message = { role: 'assistant' as const, content, reasoning_details: reasoningDetails };
    const blocks = assistantBlocks(message, 'messages[0]', { ids: new ToolIds(), functions: new FunctionCalls() });
    expect(blocks.slice(0, 4).map(({ type }) => type)).toEqual(['thinking', 'text', 'thinking', 'text']);
    expect(blocks).toHaveLength(2 * count);
  });

  it('are accepted as an error message', () => {
    const message = `token count ${'token count '.repeat(1_000_000)}`;
    expect(readGoogleError(JSON.stringify({ error: { message } }))?.message.length).toBeLessThanOrEqual(2_000);
  });

  it('are classified by the part of an error message that is relayed', () => {
    const message = `${'x'.repeat(5_000)}: exceed context limit, your credit balance is too low`;
    const shown = 'x'.repeat(2_000);
    expect(readAnthropicError(JSON.stringify({ error: { message } }))).toMatchObject({ message: shown, code: null });
    expect(errorOf({ message })).toMatchObject({ message: shown });
    expect(readMistralError(JSON.stringify({ detail: [{ msg: message }] }))).toMatchObject({ message: shown });
    const long = `${'x'.repeat(5_000)} maximum context length`;
    const upstream = { status: 400, message: long, type: 'invalid_request_error', code: null };
    expect(classify(new SluiceError('provider_error', { upstream }))).toBe('client');
  });

  it('are accepted as parameters of a data: URL', async () => {
    const url = `data:image/png${';a'.repeat(10_000_000)};base64,AA==`;
    const part = { type: 'image_url' as const, image_url: { url } };
    const expected = { role: 'user', content: [{ mediaType: 'image/png', data: { type: 'data', data: 'AA==' } }] };
    expect(packagePrompt([{ role: 'user', content: [part] }])).toMatchObject([expected]);
  });

  it('are accepted as an event in many parts', () => {
    const found: string[] = [];
    const events = new SseEvents((data) => found.push(data));
    events.push(Buffer.from('data: '));
    for (let part = 0; part < 20_000; part++) events.push(Buffer.from('x'.repeat(500)));
    events.push(Buffer.from('\n'));
    expect(found).toEqual([]);
    events.push(Buffer.from('\ndata: next\n\n'));
    expect(found.map(({ length }) => length)).toEqual([10_000_000, 4]);
  });

  it('are accepted as an event in many parts from a provider with a dialect', () => {
    const result: Buffer[] = [];
    const receiver = new DialectReceiver('some', { marks: /"never"/ }, receiving(result));
    receiver.onHead(200, { 'content-type': 'text/event-stream' });
    receiver.onData(Buffer.from('data: '));
    for (let part = 0; part < 30_000; part++) receiver.onData(Buffer.from('x'.repeat(500)));
    receiver.onData(Buffer.from('\n'));
    expect(result).toEqual([]);
    receiver.onData(Buffer.from('\ndata: next\n\n'));
    expect(Buffer.concat(result)).toHaveLength(15_000_000 + 'data: \n\ndata: next\n\n'.length);
  });

  it('fail as an event above the maximum length', () => {
    const events = new SseEvents(() => undefined);
    const piece = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let part = 0; part < 17; part++) events.push(piece);
    }).toThrow(RangeError);
  });

  it('fail as a model list above the maximum length', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(1024 * 1024);
    }
    await expect(boundedText(endless())).rejects.toThrow(/longer/);
  });
});
