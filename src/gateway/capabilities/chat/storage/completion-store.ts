import type { JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';

/** A chat completion to be stored. */
export interface NewCompletion {
  /** A UUIDv7 of the time when its request began. Its own: a request of a batch that runs again after a crash has two answers. */
  readonly id: string;
  readonly key: Pick<KeyRecord, 'id' | 'accountId' | 'memberId'>;
  /** As requested. */
  readonly model: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Of the request. */
  readonly messages: readonly JsonObject[];
  /** OpenAI's `chat.completion`, by the id that its client received: no other completion has it. */
  readonly completion: JsonObject & { readonly id: string };
  /** Nano-USD; null if it is not known. */
  readonly costNano: bigint | null;
}

/** Stores chat completions. */
export interface CompletionStore {
  /** Does not wait for the database. The completion is found immediately. */
  storeSoon(completion: NewCompletion): void;
}
