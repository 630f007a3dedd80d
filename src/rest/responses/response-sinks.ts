import type { SluiceError } from '../../errors/index.ts';
import type { ResponseEvent, ResponseObject } from '../../gateway/capabilities/responses/response-object.ts';
import type { ResponseSink } from '../../gateway/capabilities/responses/response-converter.ts';
import type {
  ClientResponse,
  ResponseHead,
  ResponseReplacement,
  ResponseTarget,
} from '../../gateway/client-response.ts';
import type { LimitBound } from '../../gateway/limits/limit-store.ts';

export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Stores a completed response. @param costNano null if unknown */
export type KeepResponse = (response: ResponseObject, costNano: bigint | null) => void;

/** A response as one JSON object. */
export class JsonSink implements ResponseSink {
  protected clientResponse: ClientResponse;
  protected readonly keep: KeepResponse;
  #head: ResponseHead | null = null;

  constructor(clientResponse: ClientResponse, keep: KeepResponse) {
    this.clientResponse = clientResponse;
    this.keep = keep;
  }

  get origin(): string | undefined {
    return this.clientResponse.origin;
  }

  setBounds(bounds: readonly LimitBound[]): void {
    this.clientResponse.setBounds?.(bounds);
  }

  setOutputCap(tokens: number): void {
    this.clientResponse.setOutputCap?.(tokens);
  }

  intercept(replacement: ResponseReplacement): boolean {
    if (this.clientResponse.intercept?.(replacement) !== true) this.clientResponse = replacement(this.clientResponse);
    return true;
  }

  markUsed(): void {
    this.clientResponse.markUsed?.();
  }

  /** Sent with the body, because it contains its length. */
  head(head: ResponseHead): void {
    this.#head = head;
  }

  send(_events: readonly ResponseEvent[]): boolean {
    return true;
  }

  end(response: ResponseObject, _events: readonly ResponseEvent[], costNano: bigint | null): void {
    const body = Buffer.from(JSON.stringify(response));
    if (this.#head !== null)
      this.clientResponse.head({ ...this.#head, contentType: 'application/json', contentLength: body.length });
    this.clientResponse.end(body, costNano);
    this.keep(response, costNano);
  }

  refuse(error: SluiceError, routed: ResponseTarget | null): void {
    this.clientResponse.fail(error, routed);
  }

  abort(): void {
    this.clientResponse.abort();
  }
}

/** A response as server-sent events. */
export class StreamSink extends JsonSink {
  override head(head: ResponseHead): void {
    this.clientResponse.head({ ...head, contentType: EVENT_STREAM, contentLength: null });
  }

  override send(events: readonly ResponseEvent[]): boolean {
    return events.length === 0 || this.clientResponse.write(written(events));
  }

  override end(response: ResponseObject, events: readonly ResponseEvent[], costNano: bigint | null): void {
    this.clientResponse.end(written(events), costNano);
    this.keep(response, costNano);
  }
}

function written(events: readonly ResponseEvent[]): Buffer {
  return Buffer.from(events.map(({ type, json }) => eventText(type, json)).join(''));
}

export function eventText(type: string, json: string): string {
  return `event: ${type}\ndata: ${json}\n\n`;
}
