import type { EntityManager } from '@mikro-orm/postgresql';

/** The database lets entries of the log go only where a transaction says that it means it. @returns how many went */
export async function removeEntries(em: EntityManager, where: string, values: readonly unknown[]): Promise<number> {
  await em.execute("select set_config('sluice.removes_audit_entries', 'on', true)");
  const gone = await em.execute<unknown[]>(`delete from audit_entries where ${where} returning id`, [...values]);
  await em.execute("select set_config('sluice.removes_audit_entries', 'off', true)");
  return gone.length;
}
