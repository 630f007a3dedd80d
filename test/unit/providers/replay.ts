import { readFileSync } from 'node:fs';
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import OpenAI from 'openai';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { startFakeProvider, type ReceivedRequest, type Script } from '../../harness/fake-provider.ts';
import { secret, startGateway } from '../../harness/gateway.ts';

/** The content of a response, independent of its format. */
export interface ResponseContent {
  text: string;
  reasoning: string;
  toolCalls: { name: string; input: unknown }[];
  /** OpenAI's finish reason. */
  finish: string | null;
  usage: { input: number; output: number; cached: number; reasoning: number };
}

/** A recording of `test/fixtures/providers`: lines of events (`.chunks.txt`), or a document (`.json`). */
export function recording(name: string): string {
  return readFileSync(new URL(`../../fixtures/providers/${name}`, import.meta.url), 'utf8');
}

/** Replays a recorded stream: one JSON text per line, as server-sent events, split at any position. */
export function replayStream(
  lines: string,
  form: { readonly event?: (data: string) => string; readonly done?: boolean } = {},
): Script {
  const events = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((data) => `${form.event ? `event: ${form.event(data)}\n` : ''}data: ${data}\n\n`);
  const body = Buffer.from(events.join('') + (form.done ? 'data: [DONE]\n\n' : ''));
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let at = 0; at < body.length; at += 997) {
      response.write(body.subarray(at, at + 997));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

export function replayDocument(body: string): Script {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  };
}

export interface ReplayedRequest {
  /** Sluice's provider id. */
  readonly provider: string;
  readonly script: Script;
  readonly streamed: boolean;
  /** Further members of the request. */
  readonly request?: Record<string, unknown>;
  readonly model?: string;
  /** Options of the connection: `api` ... */
  readonly options?: Readonly<Record<string, string>>;
  /** Path after the fake provider's origin; defaults to `/v1`. */
  readonly basePath?: string;
  /** Called with the request's usage record. */
  readonly onMetered?: (record: UsageRecord) => void;
}

/** Sends a request to `/v1/chat/completions` with the official SDK; the provider replays its recording. */
export async function readThroughSluice(
  asked: ReplayedRequest,
): Promise<ResponseContent & { received: readonly ReceivedRequest[] }> {
  const provider = await startFakeProvider(asked.script);
  const baseUrl = provider.url.replace(/\/v1$/, asked.basePath ?? '/v1');
  const gateway = await startGateway({
    providers: { [asked.provider]: { baseUrl, options: asked.options ?? {} } },
  });
  try {
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const request = {
      model: `${asked.provider}/${asked.model ?? 'recorded-model'}`,
      messages: [{ role: 'user' as const, content: 'Hello' }],
      ...asked.request,
    };
    const result = asked.streamed
      ? await readStream(client, request)
      : contentOfDocument(await client.chat.completions.create(request));
    const [metered] = asked.onMetered ? await gateway.settledCount(1) : [];
    if (metered) asked.onMetered?.(metered);
    return { ...result, received: provider.requests };
  } finally {
    await gateway.close();
    await provider.close();
  }
}

async function readStream(
  client: OpenAI,
  request: OpenAI.ChatCompletionCreateParamsNonStreaming,
): Promise<ResponseContent> {
  const result = empty();
  const calls: { name: string; input: string; custom: boolean }[] = [];
  const stream = await client.chat.completions.create({
    ...request,
    stream: true,
    stream_options: { include_usage: true },
  });
  for await (const chunk of stream) {
    if (chunk.usage) result.usage = usageOf(chunk.usage);
    for (const choice of chunk.choices) {
      const delta: OpenAI.ChatCompletionChunk.Choice.Delta & { reasoning_content?: string; reasoning?: string } =
        choice.delta;
      result.text += delta.content ?? '';
      result.reasoning += delta.reasoning_content ?? delta.reasoning ?? '';
      result.finish = choice.finish_reason ?? result.finish;
      for (const call of delta.tool_calls ?? []) {
        const known = (calls[call.index] ??= { name: '', input: '', custom: call.type === 'custom' });
        known.name += call.function?.name ?? call.custom?.name ?? '';
        known.input += call.function?.arguments ?? call.custom?.input ?? '';
      }
    }
  }
  return {
    ...result,
    toolCalls: calls.map(({ name, input, custom }) => ({ name, input: custom ? input : JSON.parse(input) })),
  };
}

function contentOfDocument(answer: OpenAI.ChatCompletion): ResponseContent {
  const [choice] = answer.choices;
  const message: (OpenAI.ChatCompletionMessage & { reasoning_content?: string; reasoning?: string }) | undefined =
    choice?.message;
  return {
    text: message?.content ?? '',
    reasoning: message?.reasoning_content ?? message?.reasoning ?? '',
    toolCalls: (message?.tool_calls ?? []).map((call) =>
      call.type === 'function'
        ? { name: call.function.name, input: JSON.parse(call.function.arguments) }
        : { name: call.custom.name, input: call.custom.input },
    ),
    finish: choice?.finish_reason ?? null,
    usage: answer.usage ? usageOf(answer.usage) : empty().usage,
  };
}

function usageOf(usage: OpenAI.CompletionUsage): ResponseContent['usage'] {
  return {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

/** Reads the same bytes with the provider's AI SDK package. `makeModel` is called with a base URL that replays them. */
export async function readByOracle(
  makeModel: (baseUrl: string) => LanguageModelV4,
  script: Script,
  streamed: boolean,
  options: Partial<LanguageModelV4CallOptions> = {},
): Promise<ResponseContent> {
  const provider = await startFakeProvider(script);
  try {
    const model = makeModel(provider.url);
    const call = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }],
      ...options,
    };
    return streamed ? await readOracleStream(model, call) : await readOracleDocument(model, call);
  } finally {
    await provider.close();
  }
}

async function readOracleStream(model: LanguageModelV4, call: LanguageModelV4CallOptions): Promise<ResponseContent> {
  const result = empty();
  const { stream } = await model.doStream(call);
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) return result;
    if (part.type === 'text-delta') result.text += part.delta;
    if (part.type === 'reasoning-delta') result.reasoning += part.delta;
    if (part.type === 'tool-call' && !part.providerExecuted)
      result.toolCalls.push({ name: part.toolName, input: JSON.parse(part.input === '' ? '{}' : part.input) });
    if (part.type === 'finish') Object.assign(result, ending(part.finishReason, part.usage));
  }
}

async function readOracleDocument(model: LanguageModelV4, call: LanguageModelV4CallOptions): Promise<ResponseContent> {
  const result = empty();
  const answer = await model.doGenerate(call);
  for (const part of answer.content) {
    if (part.type === 'text') result.text += part.text;
    if (part.type === 'reasoning') result.reasoning += part.text;
    if (part.type === 'tool-call' && !part.providerExecuted)
      result.toolCalls.push({ name: part.toolName, input: JSON.parse(part.input === '' ? '{}' : part.input) });
  }
  return { ...result, ...ending(answer.finishReason, answer.usage) };
}

function ending(
  reason: LanguageModelV4FinishReason,
  usage: LanguageModelV4Usage,
): Pick<ResponseContent, 'finish' | 'usage'> {
  const names: Readonly<Record<string, string>> = { 'tool-calls': 'tool_calls', 'content-filter': 'content_filter' };
  return {
    finish: names[reason.unified] ?? reason.unified,
    usage: {
      input: usage.inputTokens.total ?? 0,
      output: usage.outputTokens.total ?? 0,
      cached: usage.inputTokens.cacheRead ?? 0,
      reasoning: usage.outputTokens.reasoning ?? 0,
    },
  };
}

function empty(): ResponseContent {
  return {
    text: '',
    reasoning: '',
    toolCalls: [],
    finish: null,
    usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
  };
}
