import { systemClock, type Clock, type Timer } from '../../calendar/clock.ts';
import type { Connection } from '../../providers/contract.ts';
import { setBounded } from './set-bounded.ts';

/** An account's connections are asked anew when their lists are as old as this. */
const OLD_MS = 5 * 60_000;
/** One that failed is not waited for again before. */
const RETRY_MS = 60_000;
/** A list that somebody waits for comes in this time, or later without them. */
const MAX_WAIT_MS = 3_000;
/** Lists of accounts' connections that are kept. */
const MAX_LISTS = 2_000;
/** An account's own server may say what it likes. */
const MAX_MODELS = 5_000;
const MAX_NAME_LENGTH = 256;

interface Asked {
  /** Of the clock's `monotonic`. */
  readonly at: number;
  /** Settles with whether the provider answered; never rejects. */
  readonly answered: Promise<boolean>;
  /** Null while the provider is asked. */
  succeeded: boolean | null;
}

/** Which models providers themselves list, by connection. */
export class ModelDiscovery {
  readonly #operators = new Map<string, readonly string[]>();
  readonly #own = new Map<string, readonly string[]>();
  readonly #asked = new WeakMap<Connection, Asked>();
  /** How often a connection was replaced: what was asked before says nothing of it. */
  readonly #replacements = new Map<string, number>();
  readonly #onOwnChange: (connectionId: string) => void;
  readonly #clock: Clock;

  /** @param onOwnChange told of an account's connection whose list is another now */
  constructor(onOwnChange: (connectionId: string) => void, clock: Clock = systemClock) {
    this.#onOwnChange = onOwnChange;
    this.#clock = clock;
  }

  /** Names without prefix; undefined where nothing is known. An account's connection that has not told its own has what the operator's has. */
  of({ id, provider }: Connection): readonly string[] | undefined {
    return this.#own.get(id) ?? this.#operators.get(provider);
  }

  /** Asks the operator's connections. One that does not answer keeps what was known of it. */
  async askOperators(
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

  /** Asks those of an account's connections whose lists are not known or old. @returns a promise while one is asked for the first time */
  askOwn(connections: readonly Connection[]): Promise<void> | undefined {
    const waitedFor = connections.flatMap((connection) => this.#firstAnswer(connection) ?? []);
    if (waitedFor.length === 0) return undefined;
    let timer: Timer | undefined;
    const tooLong = new Promise((resolve) => {
      timer = this.#clock.setTimeout(() => resolve(undefined), MAX_WAIT_MS).unref();
    });
    return Promise.race([Promise.all(waitedFor), tooLong]).then(() => timer?.cancel());
  }

  /** Keeps what an account's connection listed. */
  ownListed(connectionId: string, models: readonly string[]): void {
    const known = this.#own.get(connectionId);
    const taken = models.filter((name) => name.length <= MAX_NAME_LENGTH).slice(0, MAX_MODELS);
    if (known?.length === taken.length && known.every((name, at) => name === taken[at])) return;
    setBounded(this.#own, MAX_LISTS, connectionId, taken);
    this.#onOwnChange(connectionId);
  }

  /** The connection of that id is another now: what the one before listed says nothing of it. */
  forget(connectionId: string): void {
    this.#operators.delete(connectionId);
    setBounded(this.#replacements, MAX_LISTS, connectionId, (this.#replacements.get(connectionId) ?? 0) + 1);
    if (this.#own.delete(connectionId)) this.#onOwnChange(connectionId);
  }

  /** Undefined where nobody need wait. */
  #firstAnswer(connection: Connection): Promise<boolean> | undefined {
    const before = this.#asked.get(connection);
    if (before?.succeeded === null) return before.answered;
    const age = before === undefined ? Infinity : this.#clock.monotonic() - before.at;
    if (age < (before?.succeeded ? OLD_MS : RETRY_MS)) return undefined;
    const { answered } = this.#ask(connection);
    return before === undefined ? answered : undefined;
  }

  #ask(connection: Connection): Asked {
    const replacements = this.#replacements.get(connection.id);
    const answered = connection.listModels().then(
      (models) => {
        if (this.#replacements.get(connection.id) === replacements) this.ownListed(connection.id, models);
        return true;
      },
      () => false,
    );
    const asked: Asked = { at: this.#clock.monotonic(), answered, succeeded: null };
    void answered.then((succeeded) => (asked.succeeded = succeeded));
    this.#asked.set(connection, asked);
    return asked;
  }
}
