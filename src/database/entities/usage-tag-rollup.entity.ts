import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey } from '@mikro-orm/decorators/legacy';
import { UsageFigures } from './usage-figures.ts';

/** As UsageRollup, per tag: a request with three tags counts in three rows, one without tags in none. */
@Entity({ tableName: 'usage_tag_rollups', readonly: true })
export class UsageTagRollup extends UsageFigures {
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
    'tagName',
    'tagValue',
  ];

  @PrimaryKey({ type: 'text' })
  tagName!: string;

  @PrimaryKey({ type: 'text' })
  tagValue!: string;
}
