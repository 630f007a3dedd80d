import { SluiceError, renderOpenAiError, toSluiceError } from '../../../../errors/index.ts';
import { isObject, membersOf } from '../../../../protocols/canonical/json-members.ts';
import { SseEvents } from '../../../../providers/shared/sse/sse-events.ts';
import type { OpenRequest } from '../../../call.ts';
import type { ClientResponse } from '../../../client-response.ts';
import { tryParse } from '../../../json-text.ts';

/** A client's WebSocket. */
export interface MessageChannel {
  /** Of the address that the client used, for media links. */
  readonly origin: string;
  send(json: string): void;
  /** @returns false while the client reads slowly; then `resume` is called once it can accept more */
  hasRoom(resume: () => void): boolean;
  /** Closes the socket of a client that does not read. */
  terminate(): void;
}

/** A response that is complete, as far as later turns need it. */
export interface CompletedResponse {
  readonly id: string;
  readonly output: readonly object[];
}

export interface SocketResponseOptions {
  /** Repeated in each event; null for none. */
  readonly streamId: string | null;
  /** The response that the turn continues, for the error of one that is unknown; null for none. */
  readonly previousId: string | null;
  /** Called once. @param completed null for a turn that failed */
  onEnd(completed: CompletedResponse | null): void;
}

/** As in an event's JSON, which escapes the quotes of texts. Other events are not parsed. */
const LAST = /"response\.(?:completed|incomplete)"|"type": ?"error"/;
const COMPLETE: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);

/**
 * Sends the events of a streamed response as messages, each with the JSON of the event as it is.
 * Source: OpenAI's API document, ResponsesServerEvent and ResponseWsError.
 */
export class SocketResponse implements ClientResponse {
  readonly #channel: MessageChannel;
  readonly #options: SocketResponseOptions;
  readonly #events = new SseEvents((data) => this.#forward(data));
  #completed: CompletedResponse | null = null;
  #openRequest: OpenRequest | null = null;

  constructor(channel: MessageChannel, options: SocketResponseOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  get origin(): string {
    return this.#channel.origin;
  }

  /** Notifies the request when a slow client can accept more. */
  follow(openRequest: OpenRequest): void {
    this.#openRequest = openRequest;
  }

  head(): void {
    // The metadata of a response have no place in its events.
  }

  write(bytes: Buffer): boolean {
    this.#events.push(bytes);
    return this.#channel.hasRoom(() => this.#openRequest?.onClientDrained());
  }

  /** A response that needs no provider. @param events as JSON */
  answer(events: readonly string[], completed: CompletedResponse): void {
    for (const event of events) this.#channel.send(withStreamId(event, this.#options.streamId));
    this.#options.onEnd(completed);
  }

  end(bytes: Buffer | null): void {
    try {
      if (bytes !== null) this.#events.push(bytes);
      this.#events.end();
    } catch (error) {
      return this.fail(toSluiceError(error));
    }
    return this.#options.onEnd(this.#completed);
  }

  fail(error: SluiceError): void {
    const { previousId, streamId } = this.#options;
    const isUnknown = error.code === 'not_found' && error.param === 'previous_response_id' && previousId !== null;
    // Clients of sockets send the whole conversation again after this code.
    const shown = isUnknown
      ? new SluiceError('previous_response_not_found', {
          param: 'previous_response_id',
          values: { id: previousId.slice(0, 100) },
        })
      : error;
    this.#channel.send(withStreamId(errorMessage(shown), streamId));
    this.#options.onEnd(null);
  }

  abort(): void {
    this.#channel.terminate();
    this.#options.onEnd(null);
  }

  #forward(data: string): void {
    if (data === '[DONE]') return;
    const event = LAST.test(data) ? tryParse(data) : null;
    this.#channel.send(withStreamId(errorEvent(event) ?? data, this.#options.streamId));
    this.#completed = completedIn(event) ?? this.#completed;
  }
}

/** Source: OpenAI's API document, ResponseWsError. */
export function errorMessage(error: SluiceError): string {
  return `{"type":"error","status":${error.status},${renderOpenAiError(error).slice(1)}`;
}

/** Adds the member to the JSON of an event that does not have it, whose other bytes stay as they are. */
export function withStreamId(json: string, streamId: string | null): string {
  return streamId === null || hasStreamId(json)
    ? json
    : json.replace(/^\s*\{/, () => `{"stream_id":${JSON.stringify(streamId)},`);
}

/** Whether a provider's socket named the stream: members with this name occur within events, too. */
function hasStreamId(json: string): boolean {
  return json.includes('"stream_id"') && Object.hasOwn(membersOf(tryParse(json)), 'stream_id');
}

/** An `error` event of a stream as one of a socket, where its members are in an object; null for any other event. */
function errorEvent(event: unknown): string | null {
  if (!isObject(event) || event.type !== 'error' || isObject(event.error)) return null;
  const { type, sequence_number, ...error } = event;
  return JSON.stringify({ type, sequence_number, error: { type: 'server_error', ...error } });
}

function completedIn(event: unknown): CompletedResponse | null {
  if (!isObject(event) || !COMPLETE.has(event.type) || !isObject(event.response)) return null;
  const { id, output } = event.response;
  if (typeof id !== 'string') return null;
  return { id, output: Array.isArray(output) ? output.filter(isObject) : [] };
}
