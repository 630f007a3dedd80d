import { createHash } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { WebhookEvent } from '../webhooks/webhook-events.ts';
import { DAY_MS, warnedDays } from './key-expiry.ts';

const BATCH_ROWS = 500;

export interface ExpiryWarningsDependencies {
  readonly database: Pick<Database, 'query'>;
  /** Resolves when the event is stored for the account's webhooks. May be called again with the same event. */
  readonly publish: (accountId: string, event: WebhookEvent) => Promise<void>;
  /** An object's id for clients. */
  readonly publicId: (type: 'ApiKey', id: string) => string;
}

interface ExpiringRow {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly hint: string;
  /** Milliseconds since the epoch. */
  readonly expires: string;
}

/** Warns accounts of keys that expire within 7 days, and again within 1 day, once per expiry that is set. */
export class ExpiryWarnings {
  readonly #dependencies: ExpiryWarningsDependencies;

  constructor(dependencies: ExpiryWarningsDependencies) {
    this.#dependencies = dependencies;
  }

  /** For a key that is first seen close to its expiry, only the later warning is sent. */
  async sendDue(now: Date, signal?: AbortSignal): Promise<void> {
    for (const days of warnedDays) {
      for (;;) {
        const rows = await this.#expiring(days, now);
        for (const row of rows) {
          signal?.throwIfAborted();
          await this.#send(row, days, now);
        }
        if (rows.length < BATCH_ROWS) break;
      }
    }
  }

  #expiring(days: number, now: Date): Promise<ExpiringRow[]> {
    return this.#dependencies.database.query<ExpiringRow>(
      `select id, account_id, name, hint, floor(extract(epoch from expires_at) * 1000)::bigint as expires from api_keys
       where expires_at > $1 and expires_at <= $2 and revoked_at is null and kind = 'user'
         and (expiry_told_days is null or expiry_told_days > $3)
       order by expires_at limit ${BATCH_ROWS}`,
      [now, new Date(now.getTime() + days * DAY_MS), days],
    );
  }

  /** Published first, then recorded: after a crash in between, the same event is published again. */
  async #send(row: ExpiringRow, days: number, now: Date): Promise<void> {
    const { database, publish, publicId } = this.#dependencies;
    const expiresAt = new Date(Number(row.expires));
    await publish(row.account_id, {
      id: `evt_${createHash('sha256').update(`${row.id} ${row.expires} ${days}`).digest('hex').slice(0, 32)}`,
      object: 'event',
      type: 'api_key.expiring',
      created_at: Math.floor(now.getTime() / 1_000),
      data: {
        id: publicId('ApiKey', row.id),
        object: 'api_key',
        name: row.name,
        hint: row.hint,
        expires_at: expiresAt.toISOString(),
        within_days: days,
      },
    });
    // Not if the expiry was changed meanwhile: the new one needs its own warning.
    await database.query('update api_keys set expiry_told_days = $2 where id = $1 and expires_at = $3', [
      row.id,
      days,
      expiresAt,
    ]);
  }
}
