import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/database/database.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import { ContentSeals } from '../../../src/gateway/reasoning/content-seals.ts';
import type { MasterKeySource } from '../../../src/secrets/master-keys.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { ContentSeal } from '../../../src/services/content-log/content-seal.ts';
import { BlobStore } from '../../../src/storage/blob-store.ts';
import { SEGMENT_TYPE } from '../../../src/storage/blobs/object-key.ts';

const KIND = 'sluice-reasoning-2.';

/** One value of each column that holds some under a master key. */
export interface StoredValues {
  readonly accountId: string;
  readonly userId: string;
  readonly ids: Readonly<
    Record<'connection' | 'webhook' | 'channel' | 'item' | 'run' | 'event' | 'response' | 'conversation', string>
  >;
}

/** How many values `storeValues` stores. */
export const VALUES = 13;

/** Stores a value in each column under a master key. The queue of messages has none: its table is the job queue's. */
export async function storeValues(
  database: Database,
  blobFolder: string,
  keys: MasterKeySource,
): Promise<StoredValues> {
  const [accountId, userId] = [randomUUID(), randomUUID()];
  const [connection, webhook, channel, dataset, item, run, response, conversation] = Array.from({ length: 8 }, () =>
    randomUUID(),
  );
  const { eventId } = newEventIds(Date.now());
  const ids = {
    connection,
    webhook,
    channel,
    item,
    run,
    event: eventId,
    response,
    conversation,
  } as StoredValues['ids'];
  const vault = new CredentialVault(keys);
  const seal = (rowId = ''): Buffer => vault.seal('a credential', { accountId, rowId });
  const ofUser = vault.seal('a credential', { accountId: userId, rowId: 'totp' });
  const contents = new ContentSeal(keys);
  const content = (of = '') => contents.seal(accountId, [{ eventId: of, document: Buffer.from('a content') }]);
  const [logged, copied, output] = [await content(eventId), await content(item), await content(`${run}/0/0`)];
  const text = KIND + new ContentSeals(keys).of(accountId).seal(KIND, 'reasoning');
  const json = JSON.stringify([
    { type: 'reasoning', encrypted_content: text },
    { text: `"encrypted_content":"${text}"` },
  ]);
  await database.query("insert into accounts (id, name) values ($1, 'A')", [accountId]);
  const blob = await new BlobStore(database, blobFolder).put(logged.bytes, {
    accountId,
    contentType: SEGMENT_TYPE,
    expiresAt: null,
    sizeLimit: 1_000_000,
  });
  const statements: readonly (readonly [string, readonly unknown[]])[] = [
    [
      `insert into users (id, name, email, totp_secret, totp_draft) values ($1, 'U', $2, $3, $3)`,
      [userId, `${userId}@example.com`, ofUser],
    ],
    [
      `insert into provider_connections (id, account_id, name, provider, sealed_credentials) values ($1, $2, 'C', 'openai', $3)`,
      [connection, accountId, seal(connection)],
    ],
    [
      `insert into webhooks (id, account_id, url, events, secret_hint, sealed_secret) values ($1, $2, 'https://example.com', '{}', '', $3)`,
      [webhook, accountId, seal(webhook)],
    ],
    [
      `insert into alert_channels (id, account_id, name, kind, hint, sealed_target) values ($1, $2, 'C', 'slack', '', $3)`,
      [channel, accountId, seal(channel)],
    ],
    [
      `insert into logged_contents (event_id, account_id, state, level, segment_id, position, length, wrapped_key, redactions)
       values ($1, $2, 'stored', 'full', $3, 0, $4, $5, '{}')`,
      [eventId, accountId, blob.id, logged.bytes.length, logged.wrappedKeys],
    ],
    [
      "insert into datasets (id, account_id, name, created_at, updated_at) values ($1, $2, 'D', now(), now())",
      [dataset, accountId],
    ],
    [
      `insert into dataset_items (id, account_id, dataset_id, position, event_id, bytes, content, wrapped_key, created_at)
       values ($1, $2, $3, 0, $4, 9, $5, $6, now())`,
      [item, accountId, dataset, eventId, copied.bytes, copied.wrappedKeys],
    ],
    [
      `insert into dataset_runs (id, account_id, dataset_id, name, item_count, scorers, created_at) values ($1, $2, $3, 'R', 1, '[]', now())`,
      [run, accountId, dataset],
    ],
    [
      `insert into dataset_run_items (run_id, line, item_id, position, bytes, content, wrapped_key) values ($1, 0, $2, 0, 9, $3, $4)`,
      [run, item, copied.bytes, copied.wrappedKeys],
    ],
    [
      `insert into dataset_run_outputs (run_id, line, model, events, content, wrapped_key) values ($1, 0, 0, '{}', $2, $3)`,
      [run, output.bytes, output.wrappedKeys],
    ],
    [
      "insert into conversations (id, account_id, api_key_id, metadata) values ($1, $2, $1, '{}')",
      [conversation, accountId],
    ],
    [
      `insert into conversation_items (conversation_id, item_id, account_id, position, item) values ($1, 'rs_1', $2, 0, $3::jsonb)`,
      [conversation, accountId, json],
    ],
    [
      `insert into responses (id, account_id, api_key_id, model, status, input, response, created_at, expires_at, completed_at)
       values ($1, $2, $1, 'sandbox/chat', 'completed', $3::jsonb, $3::jsonb, now(), now() + interval '1 day', now())`,
      [response, accountId, json],
    ],
    ['insert into response_events (response_id, sequence_number, event) values ($1, 0, $2)', [response, json]],
  ];
  for (const [statement, values] of statements) await database.query(statement, values);
  return { accountId, userId, ids };
}

/** How many of the values can be decrypted. */
export async function readableValues(
  database: Database,
  blobFolder: string,
  { accountId, userId, ids }: StoredValues,
  keys: MasterKeySource,
): Promise<number> {
  const bytes = async (statement: string, ...values: unknown[]) =>
    Object.values((await database.query<Record<string, unknown>>(statement, values))[0] ?? {});
  const vault = new CredentialVault(keys);
  const contents = new ContentSeal(keys);
  let readable = 0;
  const count = (isReadable: boolean): void => {
    if (isReadable) readable++;
  };
  const credential = (sealed: unknown, owner: { accountId: string; rowId: string }): void => {
    try {
      count(vault.open(sealed as Buffer, owner) === 'a credential');
    } catch {
      count(false);
    }
  };
  for (const [table, column, rowId] of [
    ['provider_connections', 'sealed_credentials', ids.connection],
    ['webhooks', 'sealed_secret', ids.webhook],
    ['alert_channels', 'sealed_target', ids.channel],
  ] as const) {
    const [sealed] = await bytes(`select ${column} from ${table} where id = $1`, rowId);
    credential(sealed, { accountId, rowId });
  }
  for (const sealed of await bytes('select totp_secret, totp_draft from users where id = $1', userId))
    credential(sealed, { accountId: userId, rowId: 'totp' });
  const opened = (sealed: unknown, wrappedKey: unknown, eventId: string): void =>
    count(
      contents
        .open({ bytes: sealed as Buffer, wrappedKey: wrappedKey as Buffer }, { accountId, eventId })
        ?.toString() === 'a content',
    );
  const [segment, key] = await bytes(
    'select segment_id, wrapped_key from logged_contents where event_id = $1',
    ids.event,
  );
  const part = await new BlobStore(database, blobFolder).get(String(segment), accountId);
  opened(part === null ? Buffer.alloc(0) : Buffer.concat(await part.stream.toArray()), key, ids.event);
  for (const [table, where, value, eventId] of [
    ['dataset_items', 'id', ids.item, ids.item],
    ['dataset_run_items', 'run_id', ids.run, ids.item],
    ['dataset_run_outputs', 'run_id', ids.run, `${ids.run}/0/0`],
  ] as const) {
    const [content, wrapped] = await bytes(`select content, wrapped_key from ${table} where ${where} = $1`, value);
    opened(content, wrapped, eventId);
  }
  const seals = new ContentSeals(keys).of(accountId);
  for (const [table, column, where, value] of [
    ['conversation_items', 'item', 'conversation_id', ids.conversation],
    ['responses', 'input', 'id', ids.response],
    ['responses', 'response', 'id', ids.response],
    ['response_events', 'event', 'response_id', ids.response],
  ] as const) {
    const [text] = await bytes(`select ${column}::text from ${table} where ${where} = $1`, value);
    const [first] = JSON.parse(String(text)) as { encrypted_content: string }[];
    count(seals.open(KIND, first?.encrypted_content.slice(KIND.length) ?? '') === 'reasoning');
  }
  return readable;
}
