import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ResponseEvent } from '../../../../protocols/responses/encode-stream.ts';
import type { ResponseObject } from '../../../../protocols/responses/response-object.ts';

/** A response to be stored, with its input. */
export interface NewResponse {
  readonly id: string;
  readonly key: Pick<KeyRecord, 'id' | 'accountId' | 'memberId'>;
  readonly model: string;
  /** The UUID of the response whose conversation it continues. */
  readonly previousId: string | null;
  readonly input: readonly object[];
  readonly response: ResponseObject;
  /** Nano-USD; null if not known. */
  readonly costNano: bigint | null;
}

/** Stores background runs. */
export interface RunStore {
  begin(response: NewResponse, leaseMs: number): Promise<void>;
  append(id: string, events: readonly ResponseEvent[]): Promise<void>;
  update(id: string, response: ResponseObject): Promise<void>;
  finish(id: string, response: ResponseObject, costNano: bigint | null): Promise<boolean>;
  /** @returns the runs to cancel */
  renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]>;
}
