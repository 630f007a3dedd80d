import { Field, Int, ObjectType } from 'type-graphql';
import { Count } from '../../scalars/count.ts';
import { DateTime } from '../../scalars/date-time.ts';
import { Money } from '../../scalars/money.type.ts';

@ObjectType({ description: 'Which requests the usage log still has, and which months are archived.' })
export class UsageLogCoverage {
  @Field(() => DateTime, {
    nullable: true,
    description: 'Earlier requests of the account were removed from the log by its retention. Null if none were.',
  })
  keptFrom!: Date | null;

  @Field(() => [String], {
    description:
      'Months (UTC) that the operator has archived as Parquet files, oldest first: `2026-10`. Requests of these months may be in the log as well.',
  })
  archivedMonths!: readonly string[];
}

@ObjectType({ description: 'The archive of a month of the usage log, with the requests of all accounts.' })
export class UsageArchive {
  @Field(() => String, { description: 'The month (UTC): `2026-10`.' })
  month!: string;

  @Field(() => String, { description: 'The folder or the bucket that has its files.' })
  location!: string;

  @Field(() => Int, { description: 'Number of Parquet files.' })
  parts!: number;

  @Field(() => Count, { description: 'Rows of the usage log in these files.' })
  rows!: number;

  @Field(() => Money, { description: 'Total cost of the rows.' })
  cost!: Money;

  @Field(() => Count, { description: 'Size of the files in bytes.' })
  bytes!: number;

  @Field(() => DateTime, {
    description: 'Rows that were stored later are not in the archive. Another run of `sluice usage archive` adds them.',
  })
  storedBefore!: Date;

  @Field(() => Int, {
    description: 'Number of accounts that may lack rows, because retention or an erasure removed them before.',
  })
  incompleteAccounts!: number;

  @Field(() => DateTime, { description: 'When the archive was last completed.' })
  archivedAt!: Date;
}
