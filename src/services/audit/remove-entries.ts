import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * The database allows deletions from the log only in a transaction that declares them. @returns the number of removed entries
 */
export async function removeEntries(em: EntityManager, where: string, values: readonly unknown[]): Promise<number> {
  await em.execute("select set_config('sluice.removes_audit_entries', 'on', true)");
  const removed = await em.execute<unknown[]>(`delete from audit_entries where ${where} returning id`, [...values]);
  await em.execute("select set_config('sluice.removes_audit_entries', 'off', true)");
  return removed.length;
}
