import type { UsageLogDetailsQuery } from '../../../generated/graphql.ts';

/** A request as the drawer shows it. */
export type LogDetails = NonNullable<UsageLogDetailsQuery['usageLog']>;
