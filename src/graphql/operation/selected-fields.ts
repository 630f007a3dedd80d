import type { GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** The given fields that are selected at any depth. Each fragment is visited once: fragments can spread each other many times. */
export function selectedFields<Name extends string>(
  info: GraphQLResolveInfo,
  names: readonly Name[],
): ReadonlySet<Name> {
  const asked = new Set<string>();
  const seen = new Set<string>();
  const look = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? [])
      if (selection.kind !== 'FragmentSpread') {
        if (selection.kind === 'Field') asked.add(selection.name.value);
        look(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        look(info.fragments[selection.name.value]?.selectionSet);
      }
  };
  for (const { selectionSet } of info.fieldNodes) look(selectionSet);
  return new Set(names.filter((name) => asked.has(name)));
}
