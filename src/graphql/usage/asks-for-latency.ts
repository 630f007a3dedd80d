import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** Whether percentiles are asked for anywhere within: they cost more than all else of a report. */
export function asksForLatency(set: SelectionSetNode | undefined, info: GraphQLResolveInfo): boolean {
  return (set?.selections ?? []).some((selection) => {
    // Documents with circles of fragments are refused before they are run.
    if (selection.kind === 'FragmentSpread')
      return asksForLatency(info.fragments[selection.name.value]?.selectionSet, info);
    if (selection.kind === 'Field' && ['latency', 'firstToken'].includes(selection.name.value)) return true;
    return asksForLatency(selection.selectionSet, info);
  });
}
