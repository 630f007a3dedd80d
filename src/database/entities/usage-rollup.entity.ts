import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity } from '@mikro-orm/decorators/legacy';
import { UsageFigures } from './usage-figures.ts';

/** What an account used, by quarter hours and by the account's days. Outlives the rows that it counts. */
// Rows are updated in place while their stretch lasts: the migration leaves room in the table's pages for that.
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
