import { randomBytes } from 'node:crypto';
import { insertAudit } from '../../../database/audit/record.ts';
import type { SqlClient } from '../../../database/sql.ts';
import type { CredentialVault } from '../../connections/credential-vault.ts';
import type { EncryptedContents } from '../reseal.ts';
import type { SealedColumn } from '../sealed-columns.ts';
import { discardRules, type DiscardRule } from './discard-rules.ts';
import { withoutUnreadable, type UnreadableColumn, type UnreadableValue } from './unreadable-values.ts';

/** Few enough for the time limit of a statement, and for memory: JSON has up to megabytes each. */
const BATCH_ROWS = 1_000;
const BATCH_JSON_ROWS = 25;
const SECRET_BYTES = 32;

export interface DiscardTools {
  readonly vault: Pick<CredentialVault, 'seal'>;
  readonly encrypted: EncryptedContents;
}

export interface DiscardedColumn {
  readonly name: string;
  readonly discarded: number;
}

interface DiscardedRow {
  readonly k0: string;
  readonly account: string;
  readonly label: string | null;
}

/**
 * Discards values, and records it: each connection, webhook, channel and user, and a sum for each account. A value that was replaced
 * meanwhile stays.
 */
export async function discardValues(
  client: SqlClient,
  unreadable: readonly UnreadableColumn[],
  tools: DiscardTools,
): Promise<DiscardedColumn[]> {
  const done: DiscardedColumn[] = [];
  const sums = new Map<string, Map<string, number>>();
  for (const { column, values } of unreadable) {
    const rule = ruleOf(column);
    const size = column.kind === 'encrypted_content' ? BATCH_JSON_ROWS : BATCH_ROWS;
    let discarded = 0;
    for (let at = 0; at < values.length; at += size) {
      const rows = await discardBatch(client, column, rule, values.slice(at, at + size), tools);
      discarded += rows.length;
      for (const row of rows) await record(client, rule, row, column.name, sums);
    }
    done.push({ name: column.name, discarded });
  }
  for (const [accountId, counts] of sums)
    await insertAudit(client, {
      accountId,
      action: 'account.unreadable_values_discarded',
      target: { type: 'account', id: accountId, label: null },
      changes: [...counts].map(([field, before]) => ({ field, before, after: 0 })),
    });
  return done;
}

/** @throws RangeError for a column without a rule */
export function ruleOf({ name }: Pick<SealedColumn, 'name'>): DiscardRule {
  const rule = Object.hasOwn(discardRules, name) ? discardRules[name] : undefined;
  if (rule === undefined) throw new RangeError(`It is not known how to discard ${name}`);
  return rule;
}

async function discardBatch(
  client: SqlClient,
  column: SealedColumn,
  { set, followUps = [], audit = null }: DiscardRule,
  values: readonly UnreadableValue[],
  tools: DiscardTools,
): Promise<DiscardedRow[]> {
  const { table, keys, value } = column;
  const replacements = await replacementsOf(client, column, values, tools);
  const next = keys.length + 1;
  const given = `(select ${keys.map(([, type], at) => `unnest($${at + 1}::text[])::${type} as k${at}`).join(', ')},
    unnest($${next}::text[]) as digest, unnest($${next + 1}::text[]) as account, unnest($${next + 2}::text[]) as replacement) v`;
  const where = `${keys.map(([name], at) => `t.${name} = v.k${at}`).join(' and ')} and sha256(${value}) = decode(v.digest, 'hex')`;
  const statement =
    set === null
      ? `delete from ${table} t using ${given} where ${where}`
      : `update ${table} t set ${set} from ${given} where ${where}`;
  const { rows } = await client.query<DiscardedRow>(
    `${statement} returning v.k0::text as k0, v.account as account, ${audit?.label ?? 'null'} as label`,
    [
      ...keys.map((_, at) => values.map(({ row }) => row[at])),
      values.map(({ digest }) => digest),
      values.map(({ accountId }) => accountId),
      replacements,
    ],
  );
  if (rows.length > 0) for (const text of followUps) await client.query(text, [rows.map(({ k0 }) => k0)]);
  return rows;
}

/** In hex; null where the value is removed. */
async function replacementsOf(
  client: SqlClient,
  column: SealedColumn,
  values: readonly UnreadableValue[],
  { vault, encrypted }: DiscardTools,
): Promise<(string | null)[]> {
  if (column.kind === 'encrypted_content') {
    const where = column.keys.map(([name, type], at) => `t.${name} = $${at + 1}::${type}`).join(' and ');
    const statement = `select ${column.value} as value from ${column.table} t where ${where} for update of t`;
    const replacements: (string | null)[] = [];
    for (const { row, accountId } of values) {
      const { rows } = await client.query<{ value: Buffer }>(statement, [...row]);
      const replacement = rows[0] && withoutUnreadable(rows[0].value.toString(), accountId, encrypted);
      // Of a value that was replaced meanwhile there is none, and it stays.
      replacements.push(replacement?.toString('hex') ?? null);
    }
    return replacements;
  }
  // A webhook has a secret always: nobody knows this one.
  return values.map(({ accountId, boundTo }) =>
    column.table === 'webhooks'
      ? vault.seal(randomBytes(SECRET_BYTES).toString('base64'), { accountId, rowId: boundTo }).toString('hex')
      : null,
  );
}

async function record(
  client: SqlClient,
  { audit }: DiscardRule,
  { k0: id, account, label }: DiscardedRow,
  name: string,
  sums: Map<string, Map<string, number>>,
): Promise<void> {
  if (audit === null) return;
  if (audit === undefined) {
    // Of the operator, who has an entry of its own.
    if (account === '') return;
    const counts = sums.get(account) ?? new Map<string, number>();
    sums.set(account, counts.set(name, (counts.get(name) ?? 0) + 1));
    return;
  }
  const { action, type, isOfUser = false } = audit;
  const accounts = isOfUser ? await accountsOf(client, id) : [account];
  for (const accountId of accounts) await insertAudit(client, { accountId, action, target: { type, id, label } });
}

/** The accounts of a user; `null` for the log of no account. */
async function accountsOf(client: SqlClient, userId: string): Promise<(string | null)[]> {
  const { rows } = await client.query<{ account_id: string }>(
    'select account_id from memberships where user_id = $1::uuid',
    [userId],
  );
  return rows.length === 0 ? [null] : rows.map(({ account_id: accountId }) => accountId);
}
