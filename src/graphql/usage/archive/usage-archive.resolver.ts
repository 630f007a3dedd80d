import { Ctx, Query, Resolver } from 'type-graphql';
import type { LogCoverageReader } from '../../../services/usage/archive/log-coverage.ts';
import { Requires } from '../../operation/access.ts';
import type { GraphqlContext } from '../../operation/context.ts';
import { usd } from '../../scalars/money.type.ts';
import { UsageArchive, UsageLogCoverage } from './usage-archive.types.ts';

@Resolver()
export class UsageArchiveResolver {
  readonly #coverage: LogCoverageReader;

  constructor(coverage: LogCoverageReader) {
    this.#coverage = coverage;
  }

  @Requires('usage.read')
  @Query(() => UsageLogCoverage, {
    description: 'Which requests the account’s usage log has, and which months are archived.',
  })
  async usageLogCoverage(@Ctx() context: GraphqlContext): Promise<UsageLogCoverage> {
    const { accountId } = await context.caller();
    return this.#coverage.of(accountId);
  }

  @Requires('usage_archives.read')
  @Query(() => [UsageArchive], {
    // A line a month.
    complexity: 20,
    description:
      'Archived months of this server’s usage log, oldest first. Only for owners and admins of the operator’s account.',
  })
  async usageArchives(): Promise<UsageArchive[]> {
    return (await this.#coverage.archives()).map(({ costNano, ...archive }) => ({ ...archive, cost: usd(costNano) }));
  }
}
