import type { ObjectReach } from '../../gateway/keys/object-reach.ts';

/** A new row of an account. */
export interface UnstoredRow {
  /** By which clients find it. */
  readonly name: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  /** As the statement expects it. */
  readonly json: string;
}

/** A row that waits to be stored. */
export interface QueuedRow extends Omit<UnstoredRow, 'json'> {
  json: string;
  /** Statements with it that failed. */
  failures: number;
}

/** Rows in the order of storing, which are found by their names. */
export class RowQueue {
  /** The length of all rows. */
  characters = 0;
  readonly #rows = new Set<QueuedRow>();
  /** Oldest first. */
  readonly #named = new Map<string, readonly QueuedRow[]>();

  get size(): number {
    return this.#rows.size;
  }

  add(row: UnstoredRow): void {
    const added = { ...row, failures: 0 };
    this.#rows.add(added);
    this.#named.set(row.name, [...(this.#named.get(row.name) ?? []), added]);
    this.characters += row.json.length;
  }

  all(): readonly QueuedRow[] {
    return [...this.#rows];
  }

  has(row: QueuedRow): boolean {
    return this.#rows.has(row);
  }

  /** Those that a client may access, oldest first. */
  named({ accountId, apiKeyId }: ObjectReach, name: string): readonly QueuedRow[] {
    const rows = this.#named.get(name) ?? [];
    return rows.filter((row) => row.accountId === accountId && (apiKeyId === null || row.apiKeyId === apiKeyId));
  }

  replace(row: QueuedRow, json: string): void {
    this.characters += json.length - row.json.length;
    row.json = json;
  }

  /** Has no effect on one that was removed before. */
  remove(row: QueuedRow): void {
    if (!this.#rows.delete(row)) return;
    this.characters -= row.json.length;
    const others = (this.#named.get(row.name) ?? []).filter((other) => other !== row);
    if (others.length === 0) this.#named.delete(row.name);
    else this.#named.set(row.name, others);
  }
}
