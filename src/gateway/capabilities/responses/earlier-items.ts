import { delay, systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { ObjectReach } from '../../keys/object-reach.ts';
import { membersOf } from '../../../protocols/canonical/json-members.ts';
import { decodeInputItems } from '../../../protocols/responses/decode-request.ts';
import type { InputItem } from '../../../protocols/responses/decode-request/items.ts';
import type { ResponsesRequest } from '../../../protocols/responses/decode-request/schema.ts';
import { decodeConversationItems } from './conversation-body.ts';
import type { ResponseNames } from './response-names.ts';

const [MAX_ATTEMPTS, RETRY_MS, FRESH_MS] = [5, 300, 60_000];

/** Reads stored responses. */
export interface StoredItems {
  /** The items up to and including a response, oldest first. @throws SluiceError previous_response_not_found */
  conversation(reach: ObjectReach, publicId: string): Promise<object[]>;
  /** Items by their ids, without those that the client may not reach. */
  items(reach: ObjectReach, itemIds: readonly string[]): Promise<Map<string, object>>;
}

/** The items of a request, with stored ones resolved. */
export interface ResolvedItems {
  /** The conversation before it. */
  readonly before: readonly InputItem[];
  /** Its own items. */
  readonly input: readonly InputItem[];
  /** The response whose conversation it continues. */
  readonly previousId: string | null;
}

/** Resolves references to stored responses: the previous conversation, and single items. */
export class EarlierItems {
  readonly #stored: StoredItems;
  readonly #names: ResponseNames;
  readonly #clock: Clock;

  constructor(stored: StoredItems, names: ResponseNames, clock: Clock = systemClock) {
    this.#stored = stored;
    this.#names = names;
    this.#clock = clock;
  }

  needs({ previous_response_id: previous, input }: ResponsesRequest): boolean {
    return typeof previous === 'string' || input.some(({ type }) => type === 'item_reference');
  }

  /** An item that is not found stays a reference. @throws SluiceError previous_response_not_found | database_unavailable */
  async resolve(
    reach: ObjectReach,
    { previous_response_id: previous, input }: ResponsesRequest,
  ): Promise<ResolvedItems> {
    const before = typeof previous === 'string' ? await this.conversation(reach, previous) : [];
    const ids = input.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []));
    const found = ids.length === 0 ? new Map<string, object>() : await this.#stored.items(reach, ids);
    const resolved = input.map((item) => (item.type === 'item_reference' ? (found.get(item.id) ?? item) : item));
    return {
      before: decodeConversationItems(before.map(membersOf)),
      input: decodeInputItems(resolved),
      previousId: typeof previous === 'string' ? this.#names.read(previous) : null,
    };
  }

  /**
   * The items up to and including a response, oldest first. One that another process has just completed may not be stored yet.
   * @throws SluiceError previous_response_not_found | database_unavailable
   */
  async conversation(reach: ObjectReach, previous: string): Promise<object[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#stored.conversation(reach, previous);
      } catch (error) {
        const isMissing = error instanceof SluiceError && error.code === 'previous_response_not_found';
        if (!isMissing || tries === MAX_ATTEMPTS || !this.#isFresh(previous)) throw error;
        await delay(this.#clock, RETRY_MS);
      }
    }
  }

  /** Its id starts with its creation time. */
  #isFresh(previous: string): boolean {
    const madeAt = Number.parseInt((this.#names.read(previous) ?? '').replaceAll('-', '').slice(0, 12), 16);
    return this.#clock.now() - madeAt < FRESH_MS;
  }
}
