import { OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Comparison } from './comparison.entity.ts';

/** The lane that a voter prefers; one vote per voter. */
@Entity({ tableName: 'comparison_votes' })
export class ComparisonVote {
  [PrimaryKeyProp]?: ['comparison', 'voter'];
  [OptionalProps]?: 'votedAt';

  @ManyToOne(() => Comparison, { primary: true, deleteRule: 'cascade' })
  comparison!: Comparison;

  /** The user, or the key if it belongs to no member. */
  @PrimaryKey({ type: 'uuid' })
  voter!: string;

  /** The lane's position; null for a tie. */
  @Property({ type: 'smallint', nullable: true })
  position!: number | null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  votedAt!: Date;
}
