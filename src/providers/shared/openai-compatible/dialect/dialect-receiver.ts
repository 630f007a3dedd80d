import { SluiceError } from '../../../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../../contract.ts';
import { eventData, SseEventSplitter } from '../../sse/sse-event-splitter.ts';
import { AnswerRewriter } from './answer-rewriter.ts';
import { type Dialect } from './dialect.ts';
import { isObject } from '../../../../protocols/canonical/json-members.ts';
import { parseAnswer } from '../../json/json-complexity.ts';

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Maximum of a stream: its tool calls are retained, to detect repeated ones. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

/**
 * Converts the responses of a provider with a dialect. Events and documents without the dialect's marks are relayed
 * byte for byte; the others are parsed. Text is handled as Latin-1, one character per byte: only ASCII is searched, so
 * UTF-8 is preserved.
 */
export class DialectReceiver implements UpstreamReceiver {
  readonly #provider: string;
  readonly #dialect: Dialect;
  readonly #receiver: UpstreamReceiver;
  #rewriter: AnswerRewriter | null = null;
  #upstream: Upstream | null = null;
  #streamed = false;
  /** As Latin-1. */
  readonly #events = new SseEventSplitter();
  #parts: Buffer[] = [];
  #length = 0;
  #over = false;

  constructor(provider: string, dialect: Dialect, receiver: UpstreamReceiver) {
    this.#provider = provider;
    this.#dialect = dialect;
    this.#receiver = receiver;
  }

  onConnecting(upstream: Upstream): void {
    this.#upstream = upstream;
    this.#receiver.onConnecting(upstream);
  }

  onSent(): void {
    this.#receiver.onSent?.();
  }

  onHead(status: number, headers: HeaderMap): void {
    this.#streamed = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    this.#rewriter = new AnswerRewriter(this.#dialect, this.#streamed);
    this.#receiver.onHead(status, headers);
  }

  onData(bytes: Buffer): void {
    if (this.#over) return;
    this.#length += bytes.length;
    if (this.#length > (this.#streamed ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES)) this.#fail('the answer is too long');
    else if (this.#streamed) this.#relay(bytes);
    else this.#parts.push(bytes);
  }

  onEnd(): void {
    if (this.#over) return;
    // The last event may lack its blank line: some providers omit it.
    const last = this.#events.rest();
    if (last !== '') this.#send(this.#rewriteEvents(`${last}\n\n`));
    if (!this.#streamed) this.#receiver.onData(this.#rewriteDocument(Buffer.concat(this.#parts)));
    this.#over = true;
    this.#receiver.onEnd();
  }

  onFailure(error: SluiceError): void {
    if (this.#over) return;
    this.#over = true;
    this.#receiver.onFailure(error);
  }

  #relay(bytes: Buffer): void {
    const received = bytes.toString('latin1');
    if (this.#events.isEmpty && isPlain(received) && !this.#dialect.marks.test(received)) {
      this.#receiver.onData(bytes);
      return;
    }
    let events = '';
    try {
      events = this.#rewriteEvents(this.#events.push(received));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#fail('an event is too long, or too deep to be written');
    }
    this.#send(events);
  }

  #send(text: string): void {
    if (text !== '') this.#receiver.onData(Buffer.from(text, 'latin1'));
  }

  #rewriteEvents(text: string): string {
    if (!this.#dialect.marks.test(text)) return text;
    let out = '';
    for (let start = 0; start < text.length;) {
      const blank = text.indexOf('\n\n', start);
      const end = blank < 0 ? text.length : blank + 2;
      out += this.#rewriteEvent(text.slice(start, end));
      start = end;
    }
    return out;
  }

  #rewriteEvent(event: string): string {
    if (!this.#dialect.marks.test(event)) return event;
    const rewritten = this.#rewrite(Buffer.from(eventData(event) ?? '', 'latin1').toString());
    if (rewritten === undefined) return event;
    return rewritten === null ? '' : `data: ${Buffer.from(rewritten).toString('latin1')}\n\n`;
  }

  #rewriteDocument(body: Buffer): Buffer {
    if (!this.#dialect.marks.test(body.toString('latin1'))) return body;
    const rewritten = this.#rewrite(body.toString());
    return rewritten === undefined || rewritten === null ? body : Buffer.from(rewritten);
  }

  /** Undefined if nothing changes, or for invalid JSON, which the gateway reports. */
  #rewrite(json: string): string | null | undefined {
    let answer: unknown;
    try {
      answer = parseAnswer(json);
    } catch {
      return undefined;
    }
    if (!isObject(answer) || this.#rewriter === null) return undefined;
    const rewritten = this.#rewriter.rewrite(answer);
    return rewritten === answer ? undefined : rewritten && JSON.stringify(rewritten);
  }

  #fail(detail: string): void {
    this.#over = true;
    this.#upstream?.abort();
    const values = { provider: this.#provider };
    this.#receiver.onFailure(new SluiceError('provider_invalid_response', { values, detail }));
  }
}

/** Whether the bytes are complete events only. */
function isPlain(text: string): boolean {
  return text.endsWith('\n\n') && !text.includes('\r');
}
