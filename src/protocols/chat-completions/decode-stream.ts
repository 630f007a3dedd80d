import { unixSeconds } from '../../calendar/clock.ts';
import { isObject, membersOf, objectsOf, textIn, textOf, type JsonObject } from '../canonical/json-members.ts';
import type { FinishReason, StartPart, StreamPart, UrlCitation } from '../canonical/stream-part.ts';
import { decodeLogprobs } from './decode-logprobs.ts';
import { decodeUsage } from './decode-usage.ts';

interface Call {
  readonly number: number;
  readonly isCustom: boolean;
}

/**
 * Decodes a chat response, streamed or not. Unknown members are ignored. Source: OpenAI's API document, chat completion
 * chunks and CreateChatCompletionResponse.
 */
export class ChatCompletionsDecoder {
  #parts: StreamPart[] = [];
  #start: StartPart | null = null;
  /** The calls of each choice by their index. */
  readonly #calls = new Map<number, Map<number, Call>>();

  /** One chunk of a stream: its parsed data. */
  event(chunk: unknown): void {
    if (isObject(chunk)) this.#add(chunk, 'delta');
  }

  /** A complete response that is not streamed. */
  document(body: unknown): void {
    if (isObject(body)) this.#add(body, 'message');
  }

  /** @returns the parts since the last call, for the caller to keep */
  take(): StreamPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #add(response: JsonObject, output: 'delta' | 'message'): void {
    this.#readStart(response);
    for (const choice of objectsOf(response.choices)) {
      const index = choice.index ?? 0;
      if (typeof index !== 'number') continue;
      if (isObject(choice[output])) this.#addOutput(index, choice[output], choice.logprobs);
      const reason = textOf(choice.finish_reason);
      if (reason === null) continue;
      // vLLM reports the stop sequence. Source: docs.vllm.ai, the output of a chat completion.
      const stopSequence = reason === 'stop' ? textOf(choice.stop_reason) : null;
      const finish = { type: 'finish', choice: index, reason: finishReason(reason) } as const;
      this.#parts.push(stopSequence === null ? finish : { ...finish, stopSequence });
    }
    const usage = decodeUsage(response.usage);
    if (usage === null) return;
    const { cost } = membersOf(response.usage);
    this.#parts.push({ type: 'usage', usage, cost: typeof cost === 'number' ? cost : undefined });
  }

  #readStart({ id, model, created, service_tier: tier }: JsonObject): void {
    const last = this.#start;
    const hasChanged =
      last === null ||
      (typeof model === 'string' && model !== last.model) ||
      (typeof tier === 'string' && tier !== last.serviceTier);
    if (!hasChanged) return;
    this.#start = {
      type: 'start',
      id: textOf(id) ?? last?.id ?? '',
      model: textOf(model) ?? last?.model ?? '',
      created: typeof created === 'number' ? created : (last?.created ?? unixSeconds()),
      serviceTier: textOf(tier) ?? last?.serviceTier,
    };
    this.#parts.push(this.#start);
  }

  #addOutput(choice: number, output: JsonObject, logprobs: unknown): void {
    const parts = this.#parts;
    // `reasoning_content` is used by DeepSeek and vLLM, `reasoning` by OpenRouter and Ollama.
    const reasoning = textIn(output, 'reasoning_content') || textIn(output, 'reasoning');
    if (reasoning !== '') parts.push({ type: 'reasoning', choice, text: reasoning });
    const [text, tokens] = [textIn(output, 'content'), decodeLogprobs(logprobs)];
    if (text !== '' || tokens.length > 0) parts.push({ type: 'text', choice, text, logprobs: tokens });
    const refusal = textIn(output, 'refusal');
    if (refusal !== '') parts.push({ type: 'refusal', choice, text: refusal });
    for (const [position, call] of objectsOf(output.tool_calls).entries()) this.#addCall(choice, position, call);
    for (const image of objectsOf(output.images)) {
      const url = textIn(membersOf(image.image_url), 'url');
      if (url !== '') parts.push({ type: 'image', choice, url });
    }
    for (const annotation of objectsOf(output.annotations)) {
      const citation = citationOf(membersOf(annotation.url_citation));
      if (citation !== null) parts.push({ type: 'source', choice, citation });
    }
    for (const detail of objectsOf(output.reasoning_details)) parts.push({ type: 'reasoning-detail', choice, detail });
  }

  /** @param position within the chunk, for servers that send no index */
  #addCall(choice: number, position: number, delta: JsonObject): void {
    let calls = this.#calls.get(choice);
    if (calls === undefined) this.#calls.set(choice, (calls = new Map()));
    const index = typeof delta.index === 'number' ? delta.index : position;
    const isCustom = delta.type === 'custom' || isObject(delta.custom);
    const members = membersOf(isCustom ? delta.custom : delta.function);
    let call = calls.get(index);
    if (call === undefined) {
      calls.set(index, (call = { number: calls.size, isCustom }));
      const [id, name] = [textIn(delta, 'id'), textIn(members, 'name')];
      const extraContent = isObject(delta.extra_content) ? delta.extra_content : undefined;
      this.#parts.push({ type: 'tool-call', choice, call: call.number, id, name, isCustom, extraContent });
    }
    const text = textIn(members, isCustom ? 'input' : 'arguments');
    if (text !== '') this.#parts.push({ type: 'tool-input', choice, call: call.number, isCustom: call.isCustom, text });
  }
}

/** Null without a URL. */
function citationOf({ url, title, start_index: start, end_index: end }: JsonObject): UrlCitation | null {
  if (typeof url !== 'string' || url === '') return null;
  return { url, title: textOf(title) ?? '', startIndex: characterIndex(start), endIndex: characterIndex(end) };
}

function characterIndex(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}

/** Reasons of a provider's own count as a regular end. */
function finishReason(reason: string): FinishReason {
  switch (reason) {
    case 'length':
    case 'content_filter':
    case 'tool_calls':
      return reason;
    case 'function_call':
      return 'tool_calls';
    default:
      return 'stop';
  }
}
