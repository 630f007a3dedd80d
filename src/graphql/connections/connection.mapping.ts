import type { ProviderConnection as ConnectionEntity } from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { ProviderConnection } from './connection.types.ts';

export function toProviderConnection(row: ConnectionEntity): ProviderConnection {
  const { provider, name, baseUrl, credentialHint, secretOptionNames, createdAt, updatedAt } = row;
  return {
    id: toGlobalId('ProviderConnection', row.id),
    provider,
    name,
    baseUrl,
    credentialHint,
    options: Object.entries(row.options).map(([option, value]) => ({ name: option, value })),
    secretOptionNames,
    createdAt,
    updatedAt,
    active: row.active,
    lastTest:
      row.testedAt === null
        ? null
        : { at: row.testedAt, succeeded: row.testSucceeded ?? false, message: row.testMessage ?? '' },
  };
}
