import OpenAI from 'openai';
import { json, pieces, startFakeProvider, type ReceivedRequest, type Script } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

/** An answer of Anthropic's with these blocks. */
export function messageOf(content: readonly unknown[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 2 },
    ...more,
  };
}

export function documentOf(message: unknown): Script {
  return json(200, message);
}

/** Anthropic's stream of these events, each with its name as Anthropic writes it. */
export function streamOf(events: readonly Record<string, unknown>[]): Script {
  return pieces(
    events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`),
    'end',
  );
}

/** The events of an answer with these blocks: text, thinking, signatures and inputs come in two pieces each. */
export function eventsOf(message: Record<string, unknown>): Record<string, unknown>[] {
  const { content, stop_reason: stopReason, usage, ...rest } = message;
  const blocks: Record<string, unknown>[] = Array.isArray(content) ? content : [];
  return [
    { type: 'message_start', message: { ...rest, content: [], stop_reason: null, usage } },
    { type: 'ping' },
    ...blocks.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: begun(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ];
}

function begun(block: Record<string, unknown>): Record<string, unknown> {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function deltasOf(block: Record<string, unknown>): Record<string, unknown>[] {
  if (block.type === 'text')
    return [
      ...halves(block.text).map((text) => ({ type: 'text_delta', text })),
      ...(Array.isArray(block.citations) ? block.citations : []).map((citation: unknown) => ({
        type: 'citations_delta',
        citation,
      })),
    ];
  if (block.type === 'thinking')
    return [
      ...halves(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      ...halves(block.signature).map((signature) => ({ type: 'signature_delta', signature })),
    ];
  if (block.type !== 'tool_use' || JSON.stringify(block.input) === '{}') return [];
  return halves(JSON.stringify(block.input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }));
}

function halves(value: unknown): string[] {
  const text = typeof value === 'string' ? value : '';
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)];
}

export interface Conversation {
  readonly client: OpenAI;
  readonly requests: readonly ReceivedRequest[];
  readonly gateway: TestGateway;
  answerWith(script: Script): void;
}

/** The official SDK against a gateway, and Anthropic played by scripts. */
export async function withAnthropic<T>(script: Script, talk: (conversation: Conversation) => Promise<T>): Promise<T> {
  const upstream = await startFakeProvider(script);
  const gateway = await startGateway({ providers: { anthropic: upstream.url } });
  const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
  try {
    const { requests } = upstream;
    return await talk({ client, gateway, requests, answerWith: (next) => upstream.answerWith(next) });
  } finally {
    await gateway.close();
    await upstream.close();
  }
}
