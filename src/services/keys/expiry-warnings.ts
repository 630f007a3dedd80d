import { createHash } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { WebhookEvent } from '../webhooks/webhook-events.ts';
import { DAY_MS, warnedDays } from './key-expiry.ts';

const BATCH_ROWS = 500;

export interface ExpiryWarningsParts {
  readonly database: Pick<Database, 'query'>;
  /** Resolves when the account's webhooks will be told, whatever dies in between. It must bear to be told again. */
  readonly publish: (accountId: string, event: WebhookEvent) => Promise<void>;
  /** How a client names an object. */
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

/** Tells accounts of keys that expire within 7 days, and again within 1, once each for an end that is set. */
export class ExpiryWarnings {
  readonly #parts: ExpiryWarningsParts;

  constructor(parts: ExpiryWarningsParts) {
    this.#parts = parts;
  }

  /** Of a key that is near its end already when it is first seen, only the nearer warning is told. */
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
    return this.#parts.database.query<ExpiringRow>(
      `select id, account_id, name, hint, floor(extract(epoch from expires_at) * 1000)::bigint as expires from api_keys
       where expires_at > $1 and expires_at <= $2 and revoked_at is null and kind = 'user'
         and (expiry_told_days is null or expiry_told_days > $3)
       order by expires_at limit ${BATCH_ROWS}`,
      [now, new Date(now.getTime() + days * DAY_MS), days],
    );
  }

  /** Told first, then noted: one that dies between the two tells the same event again. */
  async #send(row: ExpiringRow, days: number, now: Date): Promise<void> {
    const { database, publish, publicId } = this.#parts;
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
    // Not where another end was set meanwhile: that one is still to be told of.
    await database.query('update api_keys set expiry_told_days = $2 where id = $1 and expires_at = $3', [
      row.id,
      days,
      expiresAt,
    ]);
  }
}
