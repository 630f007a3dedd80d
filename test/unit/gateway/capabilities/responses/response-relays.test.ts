import { describe, expect, it } from 'vitest';
import {
  DecodedChatStream,
  ResponsePartsRelay,
} from '../../../../../src/gateway/capabilities/responses/response-relays.ts';
import { StreamPartWriter } from '../../../../../src/protocols/canonical/stream-part-writer.ts';

const options = {
  contentType: 'text/event-stream',
  summary: null,
  provider: 'fake',
  wantsUsage: true,
  pricing: { costOf: () => 500_000_000n },
  watched: () => false,
  watch: () => undefined,
};

describe('the relayed chat of a response', () => {
  it('is decoded from every form of events', () => {
    const relay = new DecodedChatStream(options);
    const chunk = JSON.stringify({
      model: 'm',
      choices: [{ index: 0, delta: { content: 'Hé' }, finish_reason: null }],
    });
    const bytes = Buffer.from(`: hello\n\ndata:${chunk}\n\nid: 1\nevent: message\ndata: ${chunk}\n\n`);
    expect(relay.push(bytes.subarray(0, -20))).toMatchObject([{ type: 'start' }, { type: 'text', text: 'Hé' }]);
    expect(relay.push(bytes.subarray(-20))).toMatchObject([{ type: 'text', text: 'Hé' }]);
    expect(relay.done).toBe(false);
    relay.push(Buffer.from('data: [DONE]\n\n'));
    expect(relay.done).toBe(true);
  });

  it('reports the error of its provider', () => {
    const relay = new DecodedChatStream(options);
    expect(relay.push(Buffer.from('data: {"error":{"message":"broken"}}\n\n'))).toBeNull();
    expect(relay.failure).toMatchObject({ code: 'provider_error' });
  });
});

describe('the relayed parts of a response', () => {
  it('start with the first output', () => {
    const writer = new StreamPartWriter('a-model');
    const relay = new ResponsePartsRelay(options);
    writer.begin({});
    writer.usage({ inputTokens: 5_000, outputTokens: 1 });
    expect(relay.pushParts(writer.take() ?? [])).toBeNull();
    expect(relay.usage).toMatchObject({ inputTokens: 5_000 });
    writer.text('Hello');
    expect(relay.pushParts(writer.take() ?? [])).toMatchObject([{ type: 'start' }, { type: 'text', text: 'Hello' }]);
  });

  it('have citations and reasoning details before the end, and the last usage with its cost behind it', () => {
    const writer = new StreamPartWriter('a-model');
    const relay = new ResponsePartsRelay(options);
    writer.begin({});
    writer.reasoningDetail({ type: 'reasoning.encrypted', format: 'bedrock-v1', data: 'x' });
    writer.text('A');
    writer.citation({ url: 'https://a.example', title: 'A', startIndex: 0, endIndex: 1 });
    writer.usage({ inputTokens: 5, outputTokens: 1 });
    writer.text('B');
    writer.finish('stop');
    writer.usage({ inputTokens: 5, outputTokens: 2 });
    writer.end();
    const parts = relay.pushParts(writer.take() ?? []);
    expect(parts?.map(({ type }) => type)).toEqual([
      'start',
      'text',
      'text',
      'source',
      'reasoning-detail',
      'finish',
      'usage',
    ]);
    expect(parts?.at(-1)).toMatchObject({ usage: { outputTokens: 2 }, cost: 0.5 });
    expect(relay.done).toBe(true);
  });
});
