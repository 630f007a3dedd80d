import type { GraphQLResolveInfo } from 'graphql';
import { selectedFields } from '../operation/selected-fields.ts';

/** Whether percentiles are selected: they cost more than the rest of a report. */
export function isLatencySelected(info: GraphQLResolveInfo): boolean {
  return selectedFields(info, ['latency', 'firstToken', 'outputSpeed']).size > 0;
}
