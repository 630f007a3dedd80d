import type { Clock, Timer } from '../../calendar/clock.ts';
import type { ProviderConnection } from '../../database/entities/index.ts';

/** For uses that are no requests of the pipeline, such as a poll of a video job that has selected a connection. */
const CLOSE_AFTER_MS = 5_000;

export interface Closable {
  close(): Promise<void>;
}

export interface OpenConnection<Opened> {
  /** The properties of its row that determine how it is opened. */
  readonly identity: string;
  readonly connection: Opened;
}

/** Opens the connections of rows, and closes replaced ones after a while. */
export class OpenConnections<Opened extends Closable> {
  readonly #openRow: (row: ProviderConnection) => Opened;
  readonly #clock: Clock;
  readonly #retired = new Map<Opened, Timer>();
  readonly #whenRequestsEnd: () => Promise<void>;

  /** @param whenRequestsEnd resolves once all requests that are open at its call have ended */
  constructor(openRow: (row: ProviderConnection) => Opened, whenRequestsEnd: () => Promise<void>, clock: Clock) {
    this.#openRow = openRow;
    this.#whenRequestsEnd = whenRequestsEnd;
    this.#clock = clock;
  }

  /** Opens new connections, retains unchanged ones, and retires the others. */
  update(
    before: readonly OpenConnection<Opened>[] | null,
    rows: readonly ProviderConnection[],
  ): readonly OpenConnection<Opened>[] {
    const known = new Map(before?.map((each) => [each.identity, each]));
    const open = rows.map((row) => {
      const identity = identityOf(row);
      return known.get(identity) ?? { identity, connection: this.#openRow(row) };
    });
    const retained = new Set(open);
    this.retire((before ?? []).filter((each) => !retained.has(each)));
    return open;
  }

  /** Closes connections once no open request may use them. */
  retire(open: readonly OpenConnection<Opened>[]): void {
    for (const { connection } of open) {
      const close = (): void => {
        if (this.#retired.delete(connection)) void connection.close().catch(() => undefined);
      };
      const closeUnused = (): void => void this.#whenRequestsEnd().then(close);
      this.#retired.set(connection, this.#clock.setTimeout(closeUnused, CLOSE_AFTER_MS).unref());
    }
  }

  /** Closes retired connections now. */
  async close(): Promise<void> {
    const retired = [...this.#retired];
    this.#retired.clear();
    for (const [, timer] of retired) timer.cancel();
    await Promise.allSettled(retired.map(([connection]) => connection.close()));
  }
}

/** Whether the rows open the same connections. */
export function areSameConnections(
  before: readonly ProviderConnection[],
  rows: readonly ProviderConnection[],
): boolean {
  return identities(before) === identities(rows);
}

/** The rows whose connections have another address now, or were deleted. */
export function replacedRows(
  before: readonly ProviderConnection[],
  rows: readonly ProviderConnection[],
): readonly ProviderConnection[] {
  const retained = new Set(rows.map(addressOf));
  return before.filter((row) => !retained.has(addressOf(row)));
}

function identityOf(row: ProviderConnection): string {
  const { id, provider, baseUrl, options, sealedCredentials, region, trainsOnData, retentionDays } = row;
  const credentials = sealedCredentials?.toString('base64') ?? null;
  return JSON.stringify([id, provider, baseUrl, options, credentials, region, trainsOnData, retentionDays]);
}

function identities(rows: readonly ProviderConnection[]): string {
  return rows.map(identityOf).sort().join();
}

/** Identifies the server of a connection. Includes options, because some are part of the host name. */
function addressOf({ id, provider, baseUrl, options }: ProviderConnection): string {
  return JSON.stringify([id, provider, baseUrl, options]);
}
