import type { EntityManager } from '@mikro-orm/postgresql';
import { DatabaseUnusableError } from './connection-failure.ts';

/** Makes the schema that the replaced migrations made one after the other. */
const initialMigration = 'Migration20261125235900_initial';

/** In their order. Databases of earlier versions have these names; their names stay recorded. */
export const replacedMigrations: readonly string[] = [
  'Migration20261121030312_initial',
  'Migration20261121113817_add_usage_units',
  'Migration20261121114000_key_response_cache',
  'Migration20261121114521_add_provider_connections',
  'Migration20261121120142_add_account_routes',
  'Migration20261121150623_add_videos_and_webhooks',
  'Migration20261121152224_key_moderation',
  'Migration20261121174928_add_plans',
  'Migration20261121180455_add_budgets',
  'Migration20261121182301_add_usage_rollups_and_ledger',
  'Migration20261121184953_add_invoices',
  'Migration20261121201558_add_identity',
  'Migration20261121201936_key_rotation',
  'Migration20261121202130_add_payments',
  'Migration20261121204136_add_teams_and_audit',
  'Migration20261121204211_weigh_durations',
  'Migration20261121204557_add_comparisons',
  'Migration20261122041300_keep_what_was_billed',
  'Migration20261122150525_sessions_revoked',
  'Migration20261122214043_add_responses',
  'Migration20261123060617_add_withdrawals',
  'Migration20261124035627_add_zero_retention',
  'Migration20261124112739_add_access_tokens',
  'Migration20261124225945_add_sign_up_approval',
  'Migration20261124234239_add_connection_active',
  'Migration20261125024128_add_webhook_state',
  'Migration20261125024618_add_failed_refunds',
];

/**
 * Records the initial migration as executed where all that it replaces were executed: the schema is the same.
 * @throws DatabaseUnusableError if only some of them were executed: no migration leads on from there
 */
export async function recordReplacedMigrations(em: EntityManager): Promise<void> {
  const rows = await em.execute<{ name: string }[]>('select name from mikro_orm_migrations');
  const executed = new Set(rows.map(({ name }) => name));
  if (executed.has(initialMigration)) return;
  const missing = replacedMigrations.filter((name) => !executed.has(name));
  if (missing.length === replacedMigrations.length) return;
  if (missing.length > 0) throw new DatabaseUnusableError(explain(missing));
  await em.execute('insert into mikro_orm_migrations (name) values (?)', [initialMigration]);
}

function explain([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return (
    `This version cannot upgrade the database: it lacks the migration \`${String(first)}\`${more} of earlier versions. ` +
    'Start the last version that has these migrations once, then this one: docs/operations/upgrade.md says how. ' +
    'The database is unchanged.'
  );
}
