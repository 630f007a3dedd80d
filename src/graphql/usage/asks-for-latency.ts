import type { GraphQLResolveInfo } from 'graphql';
import { askedOf } from '../asked-of.ts';

/** Whether percentiles are asked for anywhere within: they cost more than all else of a report. */
export function asksForLatency(info: GraphQLResolveInfo): boolean {
  return askedOf(info, ['latency', 'firstToken']).size > 0;
}
