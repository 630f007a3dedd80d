import { OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Comparison } from './comparison.entity.ts';

/** Which lane somebody holds to be the best; one vote each. */
@Entity({ tableName: 'comparison_votes' })
export class ComparisonVote {
  [PrimaryKeyProp]?: ['comparison', 'voter'];
  [OptionalProps]?: 'votedAt';

  @ManyToOne(() => Comparison, { primary: true, deleteRule: 'cascade' })
  comparison!: Comparison;

  /** The user, or the key where it is nobody's. */
  @PrimaryKey({ type: 'uuid' })
  voter!: string;

  /** The lane's; null for a draw. */
  @Property({ type: 'smallint', nullable: true })
  position!: number | null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  votedAt!: Date;
}
