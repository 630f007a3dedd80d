import type { ProviderConnection as ConnectionEntity } from '../../database/entities/index.ts';
import { toGlobalId } from '../relay/global-id.ts';
import type { ProviderCredential } from './connection.types.ts';

export function toProviderCredential(row: ConnectionEntity): ProviderCredential {
  const { provider, name, baseUrl, credentialHint, secretOptionNames, createdAt, updatedAt } = row;
  const { region, trainsOnData, retentionDays } = row;
  return {
    id: toGlobalId('ProviderCredential', row.id),
    provider,
    name,
    baseUrl,
    credentialHint,
    options: Object.entries(row.options).map(([option, value]) => ({ name: option, value })),
    secretOptionNames,
    region,
    trainsOnData,
    retentionDays,
    createdAt,
    updatedAt,
    active: row.active,
    lastTest:
      row.testedAt === null
        ? null
        : { at: row.testedAt, succeeded: row.testSucceeded ?? false, message: row.testMessage ?? '' },
  };
}
