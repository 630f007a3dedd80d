import type { SluiceError } from '../../../errors/index.ts';
import type { AnswerHead, ClientResponse, ReachedAt, Routed } from '../../client-response.ts';
import { responseErrorCode, type ResponseObject } from './response-object.ts';
import type { ReportedError, ResponseEvent, ResponseWriter } from './response-writer.ts';
import type { LimitBound } from '../../limits/limit-store.ts';

/** Receives a response: sends it to a client, complete or as events, or stores it. */
export interface ResponseSink extends ReachedAt, Pick<ClientResponse, 'boundBy' | 'cappedAt' | 'markUsed'> {
  /** Called once, before all other methods. */
  head(head: AnswerHead): void;
  /** @returns false where the sink is full for now */
  send(events: readonly ResponseEvent[]): boolean;
  /** The end of the response. @param events the last ones, not sent before; @param costNano null if not known */
  end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void;
  /** The response failed before its first event. No other call follows. */
  refuse(error: SluiceError, routed: Routed | null): void;
  abort(): void;
}

/** Converts a chat's output to a response. */
export class ResponseConverter implements ClientResponse {
  readonly #sink: ResponseSink;
  readonly #writer: ResponseWriter;
  readonly #dropped: readonly string[];
  readonly #isStream: boolean;

  /** @param dropped members without an equivalent in a chat */
  constructor(sink: ResponseSink, writer: ResponseWriter, isStream: boolean, dropped: readonly string[]) {
    this.#sink = sink;
    this.#writer = writer;
    this.#isStream = isStream;
    this.#dropped = dropped;
    if (sink.origin !== undefined) this.origin = sink.origin;
  }

  declare readonly origin?: string;

  boundBy(bounds: readonly LimitBound[]): void {
    this.#sink.boundBy?.(bounds);
  }

  cappedAt(tokens: number): void {
    this.#sink.cappedAt?.(tokens);
  }

  markUsed(): void {
    this.#sink.markUsed?.();
  }

  head(head: AnswerHead): void {
    this.#sink.head({ ...head, dropped: [...this.#dropped, ...head.dropped] });
  }

  write(bytes: Buffer): boolean {
    this.#writer.chunks(bytes);
    return this.#sink.send(this.#writer.take());
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    if (!this.#isStream) return this.#sink.end(this.#writer.document(bytes ?? Buffer.alloc(0)), [], costNano);
    if (bytes !== null) this.#writer.chunks(bytes);
    const response = this.#writer.end();
    this.#sink.end(response, this.#writer.take(), costNano);
  }

  fail(error: SluiceError, routed: Routed | null): void {
    if (!this.#writer.hasBegun) return this.#sink.refuse(error, routed);
    const response = this.#writer.fail(reported(error));
    this.#sink.end(response, this.#writer.take(), null);
  }

  abort(): void {
    this.#sink.abort();
  }
}

/** Errors without a code of their own have OpenAI's `server_error`. */
export function reported(error: SluiceError): ReportedError {
  return { code: error.wireCode ?? 'server_error', responseCode: responseErrorCode(error), message: error.message };
}
