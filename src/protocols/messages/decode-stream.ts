import type { StreamPartWriter } from '../canonical/stream-part-writer.ts';
import type { ReasoningDetail } from '../canonical/reasoning-details.ts';
import type { ResponseDecoder } from '../canonical/response-decoder.ts';
import { blockDetail, parsed, redactedDetail, thinkingDetail } from './preserved-blocks.ts';
import { citedSource, type CitedSource } from './citations.ts';
import { MAX_OPEN_BLOCKS, type OpenBlock } from './open-block.ts';
import { readErrorDetails } from './errors.ts';
import { isObject, listOf, textIn, textOf, type JsonObject } from '../canonical/json-members.ts';
import { finishReason } from './stop-reason.ts';
import { chatUsage } from './usage.ts';

/**
 * Decodes Anthropic's response: a stream's events or a complete message. The order of blocks is preserved. Source:
 * platform.claude.com/docs/en/build-with-claude/streaming and /docs/en/api/messages.
 */
export class MessagesDecoder implements ResponseDecoder {
  ended = false;
  readonly #writer: StreamPartWriter;
  readonly #open = new Map<unknown, OpenBlock>();
  #hasThought = false;
  #messageId: unknown = null;
  /** Members may have any name. */
  readonly #usage: Record<string, unknown> = { __proto__: null };
  #textLength = 0;
  #calls = 0;
  #hasContent = false;

  constructor(writer: StreamPartWriter) {
    this.#writer = writer;
  }

  event(event: unknown): void {
    if (this.ended || !isObject(event)) return;
    if (event.type === 'content_block_delta') this.#delta(event.index, event.delta);
    else if (event.type === 'content_block_start') this.#start(event.index, event.content_block);
    else if (event.type === 'content_block_stop') this.#close(event.index);
    else if (event.type === 'message_start') this.#message(event.message);
    else if (event.type === 'message_delta') this.#messageDelta(event);
    else if (event.type === 'message_stop') this.#finish({});
    else if (event.type === 'error') this.#fail(event);
  }

  document(body: unknown): void {
    if (!isObject(body)) return;
    if (body.type === 'error') return this.#fail(body);
    this.#message(body);
    if (!this.ended && Array.isArray(body.content)) this.#finish({});
  }

  /** A complete message, or the start of a stream, mostly without content. It may be repeated. */
  #message(message: unknown): void {
    if (!isObject(message)) return;
    if (this.#messageId !== null && message.id === this.#messageId) return;
    if (this.#hasContent)
      return this.#fail({ error: { type: 'api_error', message: 'another answer began within this one' } });
    this.#messageId = message.id;
    this.#open.clear();
    this.#writer.begin({ id: textOf(message.id) ?? undefined, model: textOf(message.model) ?? undefined });
    this.#updateUsage(message.usage);
    for (const [index, block] of listOf(message.content).entries()) {
      this.#start(index, block);
      this.#close(index);
    }
    if (typeof message.stop_reason === 'string') this.#finish(message);
  }

  #start(index: unknown, block: unknown): void {
    if (!isObject(block)) return;
    this.#close(index);
    if (this.#open.size >= MAX_OPEN_BLOCKS) throw new RangeError(`more than ${MAX_OPEN_BLOCKS} blocks are open`);
    this.#open.set(index, this.#opened(block));
  }

  #opened(block: JsonObject): OpenBlock {
    const position = { text: this.#textLength, calls: this.#calls };
    if (block.type === 'text') {
      const sources: CitedSource[] = [];
      this.#text(textIn(block, 'text'));
      for (const citation of listOf(block.citations)) this.#cite(sources, citation);
      return { type: 'text', start: position.text, sources };
    }
    if (block.type === 'thinking') {
      const text = textIn(block, 'thinking');
      this.#reasoning(text);
      return { type: 'thinking', position, text, signature: textIn(block, 'signature') };
    }
    if (block.type !== 'tool_use') return { type: 'other', position, block, input: '', content: '' };
    this.#hasContent = true;
    this.#calls++;
    const call = this.#writer.toolCall(textIn(block, 'id'), textIn(block, 'name'));
    return { type: 'call', call, input: block.input, hasArguments: false };
  }

  #delta(index: unknown, delta: unknown): void {
    const block = this.#open.get(index);
    if (!block || !isObject(delta)) return;
    if (block.type === 'text') {
      if (typeof delta.text === 'string') this.#text(delta.text);
      else if (delta.type === 'citations_delta') this.#cite(block.sources, delta.citation);
    } else if (block.type === 'thinking') {
      if (typeof delta.thinking === 'string') {
        block.text += delta.thinking;
        this.#reasoning(delta.thinking);
      } else if (typeof delta.signature === 'string') block.signature += delta.signature;
    } else if (block.type === 'other') {
      block.input += textIn(delta, 'partial_json');
      block.content += textIn(delta, 'content');
    } else if (typeof delta.partial_json === 'string' && delta.partial_json !== '') {
      block.hasArguments = true;
      this.#writer.toolArguments(block.call, delta.partial_json);
    }
  }

  #close(index: unknown): void {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    if (block.type === 'text') {
      for (const source of block.sources)
        this.#writer.citation({ ...source, startIndex: block.start, endIndex: this.#textLength });
    } else if (block.type === 'thinking')
      this.#writeThinking(thinkingDetail(block.text, block.signature, block.position));
    else if (block.type === 'other') this.#closeOther(block);
    // A stream starts a call without its input, which arrives in pieces; a complete message contains it.
    else if (!block.hasArguments && isObject(block.input) && Object.keys(block.input).length > 0)
      this.#writer.toolArguments(block.call, JSON.stringify(block.input));
  }

  #text(piece: string): void {
    if (piece === '') return;
    this.#hasContent = true;
    this.#textLength += piece.length;
    this.#writer.text(piece);
  }

  #reasoning(piece: string): void {
    if (piece === '') return;
    this.#hasContent = true;
    this.#writer.reasoning(piece);
  }

  /**
   * Signed thinking is invalid without the blocks between, and a compaction replaces everything before it: these blocks
   * are preserved. Other blocks are omitted: the text contains their results.
   */
  #closeOther({ block, input, content, position }: Extract<OpenBlock, { type: 'other' }>): void {
    if (block.type === 'redacted_thinking') {
      if (typeof block.data === 'string') this.#writeThinking(redactedDetail(block.data, position));
      return;
    }
    const received = { ...(input !== '' && { input: parsed(input) }), ...(content !== '' && { content }) };
    const complete: JsonObject = { ...block, ...received };
    // A compaction without a summary has no content.
    if (block.type === 'compaction' ? typeof complete.content === 'string' : this.#hasThought)
      this.#writer.reasoningDetail(blockDetail(complete, position));
  }

  #writeThinking(thinking: ReasoningDetail): void {
    this.#hasContent = true;
    this.#hasThought = true;
    this.#writer.reasoningDetail(thinking);
  }

  #cite(sources: CitedSource[], citation: unknown): void {
    const source = citedSource(citation);
    if (source) sources.push(source);
  }

  #messageDelta({ usage, delta }: JsonObject): void {
    this.#updateUsage(usage);
    if (isObject(delta) && typeof delta.stop_reason === 'string') this.#finish(delta);
  }

  /** Counts are repeated as they grow; missing ones are unchanged. */
  #updateUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const [name, value] of Object.entries(usage)) if (value !== null) this.#usage[name] = value;
    this.#writer.usage(chatUsage(this.#usage));
  }

  #finish({ stop_reason: given, stop_sequence: sequence, stop_details: details }: JsonObject): void {
    if (this.ended) return;
    this.ended = true;
    for (const index of this.#open.keys()) this.#close(index);
    const stopReason = textOf(given);
    if (stopReason === 'refusal' && isObject(details)) this.#writer.refusal(textIn(details, 'explanation'));
    const reason = stopReason === null ? (this.#calls > 0 ? 'tool_calls' : 'stop') : finishReason(stopReason);
    this.#writer.finish(reason, 0, textOf(sequence));
  }

  #fail(event: unknown): void {
    this.ended = true;
    const reported = readErrorDetails(event);
    this.#writer.error({
      message: reported?.message ?? 'it sent an error that says nothing',
      type: reported?.type ?? 'api_error',
      code: reported?.code ?? null,
    });
  }
}
