import { messagesErrorEvent } from './errors.ts';
import type { SluiceError } from '../../errors/index.ts';
import { carryDetails } from '../canonical/carried-reasoning.ts';
import { signsText } from '../canonical/reasoning-details.ts';
import type { GenerationResult } from '../canonical/generation-result.ts';
import type { ResponseEncoder } from '../canonical/protocol.ts';
import type { ReasoningDetailPart, StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { calledBy, contentOf, type Block } from './encode-stream/blocks.ts';
import { MessageEnd } from './encode-stream/message-end.ts';
import { messageObject, type MessageHead } from './encode-stream/message-object.ts';
import { reasoningFirst } from './encode-stream/reasoning-first.ts';
import { messageUsage } from './message-usage.ts';

/**
 * Encodes a response as Anthropic's events, or as a message. A message has one choice: parts of others are ignored. Source:
 * platform.claude.com/docs/en/build-with-claude/streaming and /docs/en/api/messages.
 */
export class MessagesEncoder implements ResponseEncoder {
  readonly contentType = 'text/event-stream; charset=utf-8';
  readonly #head: MessageHead;
  readonly #blocks: Block[] = [];
  /** The block that is not complete; -1 for none. */
  #open = -1;
  /** Signatures of text that is sent. Only calls may follow them: the gateway stores those of a final text. */
  #late: ReasoningDetailPart['detail'][] = [];
  /** The blocks of calls, by the calls' numbers. */
  readonly #calls = new Map<number, number>();
  #usage: Usage | null = null;
  readonly #end: MessageEnd;
  #hasBegun = false;
  #events = '';

  /** @param stops as those of `MessageEnd` */
  constructor(head: MessageHead, stops: readonly string[] = []) {
    this.#head = head;
    this.#end = new MessageEnd(stops);
  }

  encode(parts: readonly StreamPart[]): Buffer {
    for (const part of parts) this.#add(part);
    return this.#take();
  }

  end(): Buffer {
    this.#begin();
    this.#close();
    this.#emit('message_delta', {
      delta: { ...this.#end.members, container: null },
      usage: messageUsage(this.#usage),
    });
    this.#emit('message_stop', {});
    return this.#take();
  }

  document(result: GenerationResult): Buffer {
    for (const part of reasoningFirst(result)) this.#add(part);
    const content = this.#blocks.map(contentOf);
    const message = { ...this.#message(), content, ...this.#end.members };
    return Buffer.from(JSON.stringify(message));
  }

  fail(error: SluiceError): Buffer {
    this.#events += messagesErrorEvent(error, this.#head.requestId);
    return this.#take();
  }

  #add(part: StreamPart): void {
    if ('choice' in part && part.choice !== 0) return;
    switch (part.type) {
      case 'usage':
        this.#usage = part.usage;
        return;
      case 'finish':
        this.#end.finish(part);
        return;
      case 'text':
        return this.#text(part.text);
      case 'refusal':
        this.#end.refuse(part.text);
        return this.#text(part.text);
      case 'reasoning':
        return this.#thinking(part.text);
      case 'reasoning-detail':
        if (signsText(part.detail) && this.#blocks.some(({ type }) => type === 'text')) this.#late.push(part.detail);
        else this.#detail(part.detail);
        return;
      case 'tool-call':
        for (const detail of this.#late.splice(0)) this.#detail(detail);
        this.#calls.set(part.call, this.#start({ type: 'tool_use', id: part.id, name: part.name, json: '' }));
        return;
      case 'tool-input':
        return this.#input(part.call, part.text);
      default:
      // Sources and images: messages have none that a model writes itself.
    }
  }

  #text(text: string): void {
    if (text === '') return;
    const block = this.#current('text') ?? this.#opened({ type: 'text', text: '', citations: null });
    if (block.type !== 'text') return;
    block.text += text;
    this.#delta(this.#open, { type: 'text_delta', text });
  }

  #thinking(thinking: string): void {
    if (thinking === '') return;
    const block = this.#current('thinking') ?? this.#opened({ type: 'thinking', thinking: '', signature: '' });
    if (block.type !== 'thinking') return;
    block.thinking += thinking;
    this.#delta(this.#open, { type: 'thinking_delta', thinking });
  }

  /** What its provider must receive again is a signature here, which clients send back unchanged. */
  #detail(detail: ReasoningDetailPart['detail']): void {
    const isAnthropics = detail.format === 'anthropic-claude-v1';
    if (isAnthropics && detail.type === 'reasoning.encrypted' && !String(detail.id).startsWith('block:')) {
      this.#start({ type: 'redacted_thinking', data: String(detail.data) });
      return this.#close();
    }
    const isSigned = isAnthropics && detail.type === 'reasoning.text' && typeof detail.signature === 'string';
    const signature = isSigned ? String(detail.signature) : carryDetails([detail]);
    const block = this.#current('thinking') ?? this.#opened({ type: 'thinking', thinking: '', signature: '' });
    if (block.type !== 'thinking') return;
    block.signature = signature;
    this.#delta(this.#open, { type: 'signature_delta', signature });
    this.#close();
  }

  #input(call: number, json: string): void {
    const index = this.#calls.get(call);
    const block = index === undefined ? undefined : this.#blocks[index];
    if (index === undefined || block?.type !== 'tool_use') return;
    block.json += json;
    this.#delta(index, { type: 'input_json_delta', partial_json: json });
  }

  /** The open block, where it is of this type. */
  #current(type: Block['type']): Block | null {
    const block = this.#blocks[this.#open];
    return block?.type === type ? block : null;
  }

  #opened(block: Block): Block {
    this.#start(block);
    return block;
  }

  /** @returns its index */
  #start(block: Block): number {
    this.#begin();
    this.#close();
    this.#open = this.#blocks.push(block) - 1;
    const shown = block.type === 'tool_use' ? { ...calledBy(block), input: {} } : block;
    this.#emit('content_block_start', { index: this.#open, content_block: shown });
    return this.#open;
  }

  #close(): void {
    if (this.#open < 0) return;
    this.#emit('content_block_stop', { index: this.#open });
    this.#open = -1;
  }

  #delta(index: number, delta: object): void {
    this.#emit('content_block_delta', { index, delta });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#emit('message_start', { message: { ...this.#message(), content: [], stop_reason: null } });
    this.#emit('ping', {});
  }

  #message(): object {
    return messageObject(this.#head, this.#usage);
  }

  #emit(type: string, members: object): void {
    this.#events += `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
  }

  #take(): Buffer {
    const events = Buffer.from(this.#events);
    this.#events = '';
    return events;
  }
}
