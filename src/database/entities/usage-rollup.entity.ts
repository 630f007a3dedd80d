import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity } from '@mikro-orm/decorators/legacy';
import { UsageFigures } from './usage-figures.ts';

/** An account's usage by quarter hour and by day. Outlives the rows that it counts. */
// Rows are updated in place while their interval is current, so the migration sets a fill factor.
@Entity({ tableName: 'usage_rollups', readonly: true })
export class UsageRollup extends UsageFigures {
  [PrimaryKeyProp]?: [
    'accountId',
    'byKey',
    'span',
    'bucket',
    'apiKeyId',
    'memberId',
    'capability',
    'model',
    'provider',
  ];
}
