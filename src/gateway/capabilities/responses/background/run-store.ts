import type { Call } from '../../../call.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ResponseEvent } from '../../../../protocols/responses/encode-stream.ts';
import type { ProviderCopy } from '../provider-copies.ts';
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

/** What a run that is repeated needs besides its input. */
export interface RepeatableRequest {
  /** The request without its input. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly call: Pick<Call, 'cacheMs' | 'tags' | 'session' | 'trace'>;
  /** Those that are forwarded, names and values in turn; absent where the request is converted. */
  readonly headers?: readonly string[];
  /** Whether it came with a session of the dashboard, which has no key. */
  readonly isBySession: boolean;
}

/** The lease of a run. Who has lost it stores nothing more. */
export interface RunLease {
  /** The response's UUID. */
  readonly id: string;
  readonly token: number;
}

/** A run whose process has ended, with the lease that another process now has. */
export interface AbandonedRun extends RunLease {
  readonly key: Pick<KeyRecord, 'id' | 'accountId' | 'memberId'>;
  /** The UUID of the response whose conversation it continues. */
  readonly previousId: string | null;
  readonly input: readonly object[];
  readonly request: RepeatableRequest;
  readonly response: ResponseObject;
  /** The event of the new run. */
  readonly eventId: string;
  /** As `Call.rerunBeganAt`: set where this event is billed already. */
  readonly rerunBeganAt?: number;
  /** The sequence number after those of all stored events. */
  readonly nextSequence: number;
}

/** Stores background runs. */
export interface RunStore {
  /**
   * Stores what a provider stores of a run, whether or not its lease is held. Where the response is deleted, the copy is deleted,
   * too.
   */
  addCopy(id: string, accountId: string, copy: ProviderCopy): Promise<void>;
  begin(response: NewResponse, request: RepeatableRequest, leaseMs: number): Promise<void>;
  /**
   * Stores events, and the state that one of them reports: both or none.
   * @param state null where it is unchanged
   */
  append(run: RunLease, events: readonly ResponseEvent[], state: ResponseObject | null): Promise<void>;
  finish(run: RunLease, response: ResponseObject, costNano: bigint | null): Promise<boolean>;
  /** @returns the ids of the runs to cancel */
  renew(runs: readonly RunLease[], leaseMs: number): Promise<readonly string[]>;
  /** Leaves it to any process, after a delay. @param isCounted whether it counts as an attempt */
  release(run: RunLease, delayMs: number, isCounted: boolean): Promise<void>;
}

/** `error` of a failed response. */
export interface RunError {
  readonly code: string;
  readonly message: string;
}

/** Finds runs whose process has ended. */
export interface AbandonedRuns {
  /**
   * @param running the ids of runs of this process, whose leases may have expired during an outage of the database
   * @param eventId of the run, unless an earlier one is billed already
   * @returns the id of one, and the run where it runs again: it may have ended instead; null if there is none
   */
  claim(
    leaseMs: number,
    running: readonly string[],
    eventId: string,
  ): Promise<{ readonly id: string; readonly run: AbandonedRun | null } | null>;
  /** Ends one that cannot run again. */
  fail(run: RunLease, error: RunError): Promise<void>;
}
