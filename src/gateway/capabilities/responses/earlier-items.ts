import { delay, systemClock, type Clock } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import type { ObjectReach } from '../../object-reach.ts';
import type { InputItem } from './items.ts';
import { readInputItems } from './parse.ts';
import type { ResponseNames } from './response-names.ts';
import type { ResponsesRequest } from './schema.ts';

const [MAX_ATTEMPTS, TRY_AGAIN_MS, FRESH_MS] = [5, 300, 60_000];

/** Where responses are kept. */
export interface StoredItems {
  /** Up to a response and with it, oldest first. @throws SluiceError previous_response_not_found */
  conversation(reach: ObjectReach, publicId: string): Promise<object[]>;
  /** Items by their ids; those that are not within reach are left out. */
  items(reach: ObjectReach, itemIds: readonly string[]): Promise<Map<string, object>>;
}

/** What a request is about, with what was stored. */
export interface ResolvedItems {
  /** The conversation before it. */
  readonly before: readonly InputItem[];
  /** Its own items. */
  readonly input: readonly InputItem[];
  /** The response whose conversation it continues. */
  readonly previousId: string | null;
}

/** Finds what a request names of responses that are stored: the conversation before it, and single items. */
export class EarlierItems {
  readonly #kept: StoredItems;
  readonly #names: ResponseNames;
  readonly #clock: Clock;

  constructor(kept: StoredItems, names: ResponseNames, clock: Clock = systemClock) {
    this.#kept = kept;
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
    const before = typeof previous === 'string' ? await this.#conversation(reach, previous) : [];
    const ids = input.flatMap((item) => (item.type === 'item_reference' ? [item.id] : []));
    const found = ids.length === 0 ? new Map<string, object>() : await this.#kept.items(reach, ids);
    const whole = input.map((item) => (item.type === 'item_reference' ? (found.get(item.id) ?? item) : item));
    return {
      before: readInputItems(before),
      input: readInputItems(whole),
      previousId: typeof previous === 'string' ? this.#names.read(previous) : null,
    };
  }

  /** One that another process has just answered may not be stored yet. */
  async #conversation(reach: ObjectReach, previous: string): Promise<object[]> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#kept.conversation(reach, previous);
      } catch (error) {
        const isMissing = error instanceof SluiceError && error.code === 'previous_response_not_found';
        if (!isMissing || tries === MAX_ATTEMPTS || !this.#isFresh(previous)) throw error;
        await delay(this.#clock, TRY_AGAIN_MS);
      }
    }
  }

  /** Its name begins with its time. */
  #isFresh(previous: string): boolean {
    const madeAt = Number.parseInt((this.#names.read(previous) ?? '').replaceAll('-', '').slice(0, 12), 16);
    return this.#clock.now() - madeAt < FRESH_MS;
  }
}
