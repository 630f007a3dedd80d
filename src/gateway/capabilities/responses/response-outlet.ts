import type { SluiceError } from '../../../errors/index.ts';
import type { LimitBound } from '../../limits/limit-bound.ts';
import type { AnswerHead, Outlet, ReachedAt, Routed } from '../../outlet.ts';
import { responseErrorCode, type ResponseObject } from './response-object.ts';
import type { ReportedError, ResponseEvent, ResponseWriter } from './response-writer.ts';

/** Where a response goes: to a caller, whole or as events, or to those who ask for it later. */
export interface ResponseSink extends ReachedAt, Pick<Outlet, 'boundBy' | 'cappedAt' | 'markUsed'> {
  /** Comes once, before all else. */
  head(head: AnswerHead): void;
  /** @returns false where it can take no more for now */
  send(events: readonly ResponseEvent[]): boolean;
  /** Nothing follows. @param events the last ones, told by none before; @param costNano null where it is not known */
  end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void;
  /** It failed before anything was told. Nothing follows. */
  refuse(error: SluiceError, routed: Routed | null): void;
  abort(): void;
}

/** The end of a chat's pipeline from which a response comes out. */
export class ResponseOutlet implements Outlet {
  readonly #sink: ResponseSink;
  readonly #writer: ResponseWriter;
  readonly #dropped: readonly string[];
  readonly #isStream: boolean;

  /** @param dropped members that no chat has */
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

/** OpenAI's word for what has none of its own. */
export function reported(error: SluiceError): ReportedError {
  return { code: error.wireCode ?? 'server_error', responseCode: responseErrorCode(error), message: error.message };
}
