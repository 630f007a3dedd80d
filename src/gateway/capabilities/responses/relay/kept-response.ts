import { textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { ClientResponse, ResponseHead } from '../../../client-response.ts';
import type { RelayedDocument } from '../../text/text-request.ts';
import { replaceMember } from '../../../../providers/shared/http/request-body.ts';
import { withEventData } from '../../../../providers/shared/sse/event-data.ts';
import { ForwardingResponse } from '../../../forwarding-response.ts';

/** An id that no JSON text escapes. */
const PLAIN_ID = /^[\w.:-]{1,256}$/;
const FALSE = 'false';
const TRUE = Buffer.from('true');

export interface KeptResponseOptions {
  /** By which the response is stored; null where it is not: then nothing is kept, and its own id and `store` are passed on. */
  readonly id: string | null;
  /** The response that it continues, by its public id; null for none. */
  readonly continues: string | null;
  /** The response so far; null where it is converted. */
  relayed(): RelayedDocument | null;
  /** @param costNano nano-USD; null if it is not known */
  keep(response: JsonObject, costNano: bigint | null): void;
}

/**
 * Passes on the response of a provider with the id of the response that it continues here. Where its provider does not store it,
 * it is stored here, and passed on as one that is stored, by the id that it is stored by.
 */
export class KeptResponse extends ForwardingResponse {
  readonly #options: KeptResponseOptions;
  #isStream = false;

  constructor(response: ClientResponse, options: KeptResponseOptions) {
    super(response);
    this.#options = options;
  }

  override head(head: ResponseHead): void {
    this.#isStream = head.contentLength === null;
    super.head(head);
  }

  write(bytes: Buffer): boolean {
    this.#sendHead(null);
    return this.response.write(this.#asStored(bytes));
  }

  end(bytes: Buffer | null, costNano: bigint | null): void {
    const relayed = this.#options.relayed();
    // The cost is known of what succeeded: a response that output moderation refused at its end is complete, too.
    const id = this.#idOf(relayed);
    if (relayed !== null && costNano !== null && id !== null)
      this.#options.keep({ ...relayed.response, ...this.#asKept(id) }, costNano);
    const last = bytes && this.#asStored(bytes);
    this.#sendHead(last);
    this.response.end(last, costNano);
  }

  /** By which the response is stored here; null where it is not. */
  #idOf(relayed: RelayedDocument | null): string | null {
    return relayed?.connection.storesResponses === false ? this.#options.id : null;
  }

  #asKept(id: string): JsonObject {
    const { continues } = this.#options;
    return { id, store: true, ...(continues !== null && { previous_response_id: continues }) };
  }

  /** Its length depends on what is replaced. @param document all of a response that is not streamed */
  #sendHead(document: Buffer | null): void {
    if (this.pendingHead === null) return;
    const { contentLength } = this.pendingHead;
    this.response.head({ ...this.pendingHead, contentLength: contentLength === null ? null : (document?.length ?? 0) });
    this.pendingHead = null;
  }

  /** @param bytes complete events, or a document */
  #asStored(bytes: Buffer): Buffer {
    const relayed = this.#options.relayed();
    if (relayed === null) return bytes;
    const { continues } = this.#options;
    const id = this.#idOf(relayed);
    if (id === null && continues === null) return bytes;
    const renamed = id === null ? bytes : renamedTo(id, bytes, textOf(relayed.response.id));
    const asStored = (response: Buffer): Buffer =>
      withContinued(id === null ? response : withStore(response), continues);
    if (!this.#isStream) return asStored(renamed);
    return withEventData(renamed, (event) => replaceMember(event, 'response', asStored));
  }
}

/** In events and documents a text in quotes is a member's whole value. @param id the provider's */
function renamedTo(ownId: string, bytes: Buffer, id: string | null): Buffer {
  if (id === null || !PLAIN_ID.test(id)) return bytes;
  const quoted = `"${id}"`;
  if (!bytes.includes(quoted)) return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll(quoted, `"${ownId}"`), 'latin1');
}

/** A response says that it is stored, as it does when it is read. */
function withStore(response: Buffer): Buffer {
  return replaceMember(response, 'store', (value) => (value.toString() === FALSE ? TRUE : value));
}

/** A response names the one that it continues, which its provider was not told. */
function withContinued(response: Buffer, id: string | null): Buffer {
  return id === null
    ? response
    : replaceMember(response, 'previous_response_id', () => Buffer.from(JSON.stringify(id)));
}
