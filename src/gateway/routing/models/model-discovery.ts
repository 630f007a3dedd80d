import { systemClock, type Clock, type Timer } from '../../../calendar/clock.ts';
import type { Connection } from '../../../providers/contract.ts';
import { setBounded } from '../set-bounded.ts';

/** Lists of an account's connections are refreshed after this time. */
const REFRESH_AFTER_MS = 5 * 60_000;
/** A failed request is retried after this time. */
const RETRY_MS = 60_000;
/** A request waits this long for a list. */
const MAX_WAIT_MS = 3_000;
/** Maximum stored lists of accounts' connections. */
const MAX_LISTS = 2_000;
/** An account's own server may return any number of models. */
const MAX_MODELS = 5_000;
const MAX_NAME_LENGTH = 256;

interface Query {
  /** By the clock's `monotonic`. */
  readonly at: number;
  /** Resolves to whether the provider answered; never rejects. */
  readonly answered: Promise<boolean>;
  /** Null while the request runs. */
  succeeded: boolean | null;
}

/** The models that providers list, by connection. */
export class ModelDiscovery {
  readonly #operators = new Map<string, readonly string[]>();
  readonly #own = new Map<string, readonly string[]>();
  readonly #queries = new WeakMap<Connection, Query>();
  /** Number of replacements of a connection: responses to earlier requests are ignored. */
  readonly #replacements = new Map<string, number>();
  readonly #onOwnChange: (connectionId: string) => void;
  readonly #clock: Clock;

  /** @param onOwnChange called when the list of an account's connection has changed */
  constructor(onOwnChange: (connectionId: string) => void, clock: Clock = systemClock) {
    this.#onOwnChange = onOwnChange;
    this.#clock = clock;
  }

  /**
   * Names without prefix; undefined where none are known. An account's connection without a list uses the operator's
   * list of that provider.
   */
  of({ id, provider }: Connection): readonly string[] | undefined {
    return this.#own.get(id) ?? this.#operators.get(provider);
  }

  /** Queries the operator's connections. After a failure the last list stays in use. */
  async queryOperators(
    connections: readonly Connection[],
    onFailure: (provider: string, error: unknown) => void,
  ): Promise<void> {
    await Promise.all(
      connections.map(async (connection) => {
        const replacements = this.#replacements.get(connection.id);
        try {
          const models = await connection.listModels();
          if (this.#replacements.get(connection.id) === replacements) this.#operators.set(connection.id, models);
        } catch (error) {
          onFailure(connection.provider, error);
        }
      }),
    );
  }

  /**
   * Queries an account's connections whose lists are missing or old.
   * @returns a promise while a connection is queried for the first time
   */
  queryOwn(connections: readonly Connection[]): Promise<void> | undefined {
    const waitedFor = connections.flatMap((connection) => this.#firstAnswer(connection) ?? []);
    if (waitedFor.length === 0) return undefined;
    let timer: Timer | undefined;
    const tooLong = new Promise((resolve) => {
      timer = this.#clock.setTimeout(() => resolve(undefined), MAX_WAIT_MS).unref();
    });
    return Promise.race([Promise.all(waitedFor), tooLong]).then(() => timer?.cancel());
  }

  /** Stores the list of an account's connection. */
  ownListed(connectionId: string, models: readonly string[]): void {
    const known = this.#own.get(connectionId);
    const accepted = models.filter((name) => name.length <= MAX_NAME_LENGTH).slice(0, MAX_MODELS);
    if (known?.length === accepted.length && known.every((name, at) => name === accepted[at])) return;
    setBounded(this.#own, MAX_LISTS, connectionId, accepted);
    this.#onOwnChange(connectionId);
  }

  /** The connection was replaced: drops its list. */
  forget(connectionId: string): void {
    this.#operators.delete(connectionId);
    setBounded(this.#replacements, MAX_LISTS, connectionId, (this.#replacements.get(connectionId) ?? 0) + 1);
    if (this.#own.delete(connectionId)) this.#onOwnChange(connectionId);
  }

  /** Undefined where no wait is needed. */
  #firstAnswer(connection: Connection): Promise<boolean> | undefined {
    const before = this.#queries.get(connection);
    if (before?.succeeded === null) return before.answered;
    const age = before === undefined ? Infinity : this.#clock.monotonic() - before.at;
    if (age < (before?.succeeded ? REFRESH_AFTER_MS : RETRY_MS)) return undefined;
    const { answered } = this.#query(connection);
    return before === undefined ? answered : undefined;
  }

  #query(connection: Connection): Query {
    const replacements = this.#replacements.get(connection.id);
    const answered = connection.listModels().then(
      (models) => {
        if (this.#replacements.get(connection.id) === replacements) this.ownListed(connection.id, models);
        return true;
      },
      () => false,
    );
    const query: Query = { at: this.#clock.monotonic(), answered, succeeded: null };
    void answered.then((succeeded) => (query.succeeded = succeeded));
    this.#queries.set(connection, query);
    return query;
  }
}
