import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import type { Connection } from '../../../providers/contract.ts';
import type { ObjectReach } from '../../keys/object-reach.ts';
import { forwardTo, type ForwardedRequest } from './forward-to.ts';
import type { ConnectionSource } from './held-response.ts';

/** A response that a provider stores for itself, beside the one that is stored here. */
export interface ProviderCopy {
  readonly connectionId: string;
  /** The provider's id. */
  readonly id: string;
}

export interface ProviderCopiesDependencies {
  readonly connections: ConnectionSource;
  readonly objects: { forget(reach: ObjectReach, connectionId: string, objectId: string): Promise<void> };
  readonly log: { warn(fields: object, message: string): void };
  readonly clock?: Clock;
}

const RETRY_DELAYS_MS = [1_000, 10_000, 60_000, 300_000];
/** In total, so that an outage of a provider does not exhaust the memory. */
const MAX_PENDING = 1_000;
const NOT_FOUND = 404;

interface Deletion {
  readonly accountId: string;
  readonly copy: ProviderCopy;
  attempts: number;
  forwarded: ForwardedRequest | null;
  timer: Timer | null;
}

/** Deletes what providers store of responses that were deleted here: without waiting, again after failures, and in memory. */
export class ProviderCopies {
  readonly #dependencies: ProviderCopiesDependencies;
  readonly #clock: Clock;
  readonly #pending = new Set<Deletion>();
  #isClosed = false;

  constructor(dependencies: ProviderCopiesDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** Deletes copies of one account. */
  delete(accountId: string, copies: readonly ProviderCopy[]): void {
    const unique = new Map(copies.map((copy) => [JSON.stringify([copy.connectionId, copy.id]), copy]));
    for (const copy of unique.values()) {
      const deletion: Deletion = { accountId, copy, attempts: 0, forwarded: null, timer: null };
      if (this.#isClosed) this.#warn(deletion, 'the server stops');
      else if (this.#pending.size >= MAX_PENDING) this.#warn(deletion, 'too many deletions are pending');
      else {
        this.#pending.add(deletion);
        this.#attempt(deletion);
      }
    }
  }

  /** Ends what is pending: those copies remain until the provider removes them. */
  close(): void {
    this.#isClosed = true;
    for (const deletion of this.#pending) {
      deletion.timer?.cancel();
      deletion.forwarded?.abort();
      this.#warn(deletion, 'the server stops');
    }
    this.#pending.clear();
  }

  #attempt(deletion: Deletion): void {
    const { accountId, copy } = deletion;
    const connection = this.#dependencies.connections.connection(copy.connectionId, accountId);
    if (connection?.sendObject === undefined) {
      this.#pending.delete(deletion);
      return this.#warn(deletion, 'its connection no longer exists');
    }
    deletion.attempts++;
    deletion.forwarded = this.#send(connection, copy, (status, reason) => {
      deletion.forwarded = null;
      if (isDeleted(status, deletion.attempts)) this.#succeed(deletion);
      else this.#retry(deletion, reason);
    });
  }

  /** @param over gets the status, 0 for none, and a reason without content of the response, which may be any text */
  #send(
    connection: Connection,
    { id }: ProviderCopy,
    over: (status: number, reason: string) => void,
  ): ForwardedRequest {
    let answered = 0;
    return forwardTo(
      connection,
      { method: 'DELETE', path: `/responses/${encodeURIComponent(id)}` },
      {
        head: (status) => void (answered = status),
        write: () => true,
        end: () => over(answered, reasonOf(answered)),
        fail: ({ code, upstreamStatus: status }) => over(status ?? 0, status === null ? code : reasonOf(status)),
        destroy: () => over(0, 'provider_timeout'),
      },
      this.#clock,
    );
  }

  #succeed(deletion: Deletion): void {
    this.#pending.delete(deletion);
    const { accountId, copy } = deletion;
    const forgotten = this.#dependencies.objects.forget({ accountId, apiKeyId: null }, copy.connectionId, copy.id);
    forgotten.catch((err: unknown) =>
      this.#dependencies.log.warn({ err, ...copy }, 'a deleted copy of a response could not be forgotten'),
    );
  }

  #retry(deletion: Deletion, reason: string): void {
    const delay = RETRY_DELAYS_MS[deletion.attempts - 1];
    if (delay === undefined) {
      this.#pending.delete(deletion);
      return this.#warn(deletion, reason);
    }
    if (deletion.attempts === 1 && reason !== reasonOf(NOT_FOUND))
      this.#dependencies.log.warn(
        { ...deletion.copy, reason },
        'deleting the copy of a response at its provider failed; retrying',
      );
    deletion.timer = this.#clock.setTimeout(() => this.#attempt(deletion), delay).unref();
  }

  #warn({ copy }: Deletion, reason: string): void {
    this.#dependencies.log.warn(
      { ...copy, reason },
      'the copy of a deleted response stays at its provider until its retention ends',
    );
  }
}

/** Of a response that was running a provider may store its copy a moment later. */
function isDeleted(status: number, attempts: number): boolean {
  return (status >= 200 && status < 300) || (status === NOT_FOUND && attempts > 1);
}

function reasonOf(status: number): string {
  return `status ${status}`;
}
