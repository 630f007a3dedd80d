import type { Database } from '../../database/database.ts';
import { ProviderConnection } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { changeAccount, type AccountChangeDependencies } from './account-change.ts';
import { connectionTermsSchema, type ConnectionTermsInput } from './connection-input.ts';

/** Nothing is stated. */
export const noTerms: ConnectionTermsInput = { region: null, trainsOnData: null, retentionDays: null };

/** Absent members are unchanged. */
export function applyTerms(
  row: ProviderConnection,
  { region, trainsOnData, retentionDays }: ConnectionTermsInput,
): void {
  if (region !== undefined) row.region = region;
  if (trainsOnData !== undefined) row.trainsOnData = trainsOnData;
  if (retentionDays !== undefined) row.retentionDays = retentionDays;
}

/** By provider. @throws SluiceError database_unavailable */
export function connectionsOf(database: Database, accountId: string): Promise<ProviderConnection[]> {
  return mapDatabaseErrors(() =>
    database.em().find(ProviderConnection, { account: accountId }, { orderBy: { provider: 'asc' } }),
  );
}

/**
 * Changes what is stated of an account's connection. Needs no credentials.
 * @throws SluiceError bad_user_input | not_found | database_unavailable
 */
export async function setConnectionTerms(
  dependencies: AccountChangeDependencies,
  accountId: string,
  provider: string,
  input: ConnectionTermsInput,
): Promise<ProviderConnection> {
  const terms = parseInput(connectionTermsSchema, input);
  return changeAccount(dependencies, accountId, async (em) => {
    const row = await em.findOne(ProviderConnection, { account: accountId, provider });
    if (row === null) throw new SluiceError('not_found', { values: { what: 'provider connection' } });
    applyTerms(row, terms);
    row.updatedAt = new Date();
    await em.flush();
    return row;
  });
}
