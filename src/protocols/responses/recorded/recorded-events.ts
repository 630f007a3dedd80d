import { isObject, membersOf, objectsOf, textOf, type JsonObject } from '../../canonical/json-members.ts';
import { PartialOutput } from './partial-output.ts';
import type { ResponseEvent } from '../encode-stream.ts';
import type { ResponseError, ResponseObject, ResponseStatus } from '../response-object.ts';

/** Their types say how the response has ended. Source: OpenAI's API document, ResponseStreamEvent. */
const endings: ReadonlyMap<string, ResponseStatus> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
  // Of some servers; OpenAI's reference has none.
  ['response.cancelled', 'cancelled'],
]);
const statuses: readonly ResponseStatus[] = ['completed', 'incomplete', 'failed', 'cancelled'];
/** The response is created and queued here. */
const replaced: ReadonlySet<string> = new Set(['response.created', 'response.queued']);

/**
 * The events of a response that is streamed from a provider, as events of a background response: with the id, the creation time
 * and the sequence numbers of Sluice's own, and as one that is stored. All else is as the provider sent it.
 */
export class RecordedEvents {
  readonly #own: JsonObject;
  readonly #settings: JsonObject;
  readonly #output = new PartialOutput();
  #events: ResponseEvent[] = [];
  #sequence: number;
  /** The last one that the provider sent. */
  #response: JsonObject | null = null;
  #final: ResponseObject | null = null;

  /**
   * @param settings members of the response before its provider has sent it
   * @param own members that replace those of the provider
   * @param sequence of its first event; not 0 where the response is run again and these were sent before
   */
  constructor(settings: JsonObject, own: JsonObject, sequence = 0) {
    this.#settings = settings;
    this.#own = own;
    this.#sequence = sequence;
  }

  get hasBegun(): boolean {
    return this.#response !== null;
  }

  /** The response in progress; null before it starts. */
  get running(): ResponseObject | null {
    return this.#response === null ? null : this.#object('in_progress', []);
  }

  /** Emits the events of a queued response. */
  queue(): ResponseObject {
    const response = this.#object('queued', []);
    this.#emit('response.created', { response });
    this.#emit('response.queued', { response });
    return response;
  }

  /** @param data of one event */
  add(data: string): void {
    if (this.#final !== null) return;
    const { type: given, sequence_number: _theirs, ...members } = objectIn(this.#renamed(data));
    const type = textOf(given);
    // An error is followed by a failed response, which both are recorded with.
    if (type === null || type === 'error') return;
    const { response } = members;
    if (!isObject(response)) {
      this.#output.add(type, members);
      return this.#emit(type, members);
    }
    this.#response = response;
    const ending = endings.get(type);
    if (ending !== undefined) return this.#end(response, ending, members);
    if (replaced.has(type)) return;
    this.#emit(type, { ...members, response: { ...response, ...this.#own } });
  }

  /** Emits the final events. @param missing why there is no response, where the provider has sent none */
  end(missing: ResponseError): ResponseObject {
    return this.#final ?? this.fail(missing);
  }

  /** Emits the events of a failure. */
  fail({ code, responseCode, message }: ResponseError): ResponseObject {
    this.#emit('error', { code, message, param: null });
    const error = { code: responseCode, message };
    return this.#interrupted('response.failed', { ...this.#object('failed', this.#output.items()), error });
  }

  /** As of a converted response: OpenAI has no event for a cancellation. */
  cancel(): ResponseObject {
    return this.#interrupted('response.incomplete', this.#object('cancelled', this.#output.items()));
  }

  /** Removes and returns the events emitted so far. */
  take(): readonly ResponseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** In an event a text in quotes is a member's whole value. */
  #renamed(json: string): string {
    const id = textOf(this.#response?.id) ?? firstId(json);
    return id === null ? json : json.replaceAll(JSON.stringify(id), JSON.stringify(this.#own.id));
  }

  #end(given: JsonObject, ending: ResponseStatus, members: JsonObject): void {
    const status = statuses.find((name) => name === given.status) ?? ending;
    const response: ResponseObject = { ...given, ...this.#own, status, output: objectsOf(given.output) };
    this.#final = response;
    this.#emit(status === 'cancelled' ? 'response.incomplete' : `response.${status}`, { ...members, response });
  }

  #interrupted(type: string, response: ResponseObject): ResponseObject {
    this.#final = response;
    this.#emit(type, { response });
    return response;
  }

  #object(status: ResponseStatus, output: readonly object[]): ResponseObject {
    return { ...(this.#response ?? this.#settings), ...this.#own, status, output };
  }

  /** Readers of stored events find these two members first. */
  #emit(type: string, members: JsonObject): void {
    const sequenceNumber = this.#sequence++;
    const json = JSON.stringify({ type, sequence_number: sequenceNumber, ...members });
    this.#events.push({ type, sequenceNumber, json });
  }
}

/** The provider's id, in the first event. */
function firstId(json: string): string | null {
  return textOf(membersOf(objectIn(json).response).id);
}

function objectIn(json: string): JsonObject {
  try {
    return membersOf(JSON.parse(json));
  } catch {
    return {};
  }
}
