import { describe, expect, it } from 'vitest';
import { assistantBlocks } from '../../src/providers/anthropic/assistant-blocks.ts';
import { FunctionCalls, ToolIds } from '../../src/providers/anthropic/tool-ids.ts';
import { readGoogleError } from '../../src/providers/gemini/error.ts';
import { boundedText } from '../../src/providers/shared/bounded-text.ts';
import { SseEvents } from '../../src/providers/shared/sse-events.ts';

/** What a caller or a provider's server can make long. Each of these took minutes, or memory without end, where work grew with its square. */
describe('what may be long', () => {
  it('are ids of calls that differ only behind what Anthropic takes', () => {
    const ids = new ToolIds();
    const made = Array.from({ length: 100_000 }, (_, index) => ids.of(`${'a'.repeat(70)}!${index}`));
    expect(new Set(made).size).toBe(made.length);
    expect(ids.of(`${'a'.repeat(70)}!7`)).toBe(made[7]);
  });

  it('are an answer’s texts between its signed thoughts', () => {
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

  it('is the message of an error', () => {
    const message = `token count ${'token count '.repeat(1_000_000)}`;
    expect(readGoogleError(JSON.stringify({ error: { message } }))?.message.length).toBeLessThanOrEqual(2_000);
  });

  it('is an event in many parts', () => {
    const found: string[] = [];
    const events = new SseEvents((data) => found.push(data));
    events.push(Buffer.from('data: '));
    for (let part = 0; part < 20_000; part++) events.push(Buffer.from('x'.repeat(500)));
    events.push(Buffer.from('\n'));
    expect(found).toEqual([]);
    events.push(Buffer.from('\ndata: next\n\n'));
    expect(found.map(({ length }) => length)).toEqual([10_000_000, 4]);
  });

  it('is an event without an end, up to a bound', () => {
    const events = new SseEvents(() => undefined);
    const piece = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let part = 0; part < 17; part++) events.push(piece);
    }).toThrow(RangeError);
  });

  it('is a list of models, up to a bound', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(1024 * 1024);
    }
    await expect(boundedText(endless())).rejects.toThrow(/longer/);
  });
});
