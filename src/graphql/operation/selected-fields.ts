import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** The given fields that are selected at any depth. */
export function selectedFields<Name extends string>(
  info: GraphQLResolveInfo,
  names: readonly Name[],
): ReadonlySet<Name> {
  const asked = new Set<string>();
  visitFields(info, ({ name }) => asked.add(name.value));
  return new Set(names.filter((name) => asked.has(name)));
}

/** As the resolver of a field at any depth would get it, with all of its selections. */
export function infoOf(info: GraphQLResolveInfo, field: string): GraphQLResolveInfo {
  const fieldNodes: FieldNode[] = [];
  visitFields(info, (node) => {
    if (node.name.value === field) fieldNodes.push(node);
  });
  return { ...info, fieldNodes };
}

/** Each fragment is visited once: fragments can spread each other many times. */
function visitFields(info: GraphQLResolveInfo, visit: (node: FieldNode) => void): void {
  const seen = new Set<string>();
  const look = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? [])
      if (selection.kind !== 'FragmentSpread') {
        if (selection.kind === 'Field') visit(selection);
        look(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        look(info.fragments[selection.name.value]?.selectionSet);
      }
  };
  for (const { selectionSet } of info.fieldNodes) look(selectionSet);
}
