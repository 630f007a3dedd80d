import type { Import } from '../../harness/source-imports.ts';

/** What each node imports. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Imports between files, those of types included: who reads one of a circle has to read them all. */
export function fileGraph(imports: readonly Import[]): Graph {
  return graphOf(imports.filter(({ kind }) => kind === 'file').map(({ from, to }) => [from, to]));
}

/**
 * Imports between the folders of one level. Files directly in `parent` are in none, and what is below a folder belongs to it.
 * @param parent from `src`; empty for `src` itself
 */
export function folderGraph(imports: readonly Import[], parent: string): Graph {
  const prefix = parent === '' ? '' : `${parent}/`;
  const folderOf = (path: string): string | null => {
    if (!path.startsWith(prefix)) return null;
    const [folder = '', inside] = path.slice(prefix.length).split('/');
    return inside === undefined ? null : folder;
  };
  return graphOf(
    imports.flatMap(({ kind, from, to }) => {
      const edge = [folderOf(from), folderOf(to)] as const;
      return kind === 'file' && edge[0] !== null && edge[1] !== null ? [[edge[0], edge[1]] as const] : [];
    }),
  );
}

function graphOf(edges: readonly (readonly [from: string, to: string])[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    const targets = graph.get(from) ?? new Set();
    if (to !== from) targets.add(to);
    graph.set(from, targets);
  }
  return graph;
}

/** Groups of nodes that reach each other, sorted. Source: R. Tarjan, Depth-first search and linear graph algorithms (1972). */
export function circlesOf(graph: Graph): string[][] {
  const circles: string[][] = [];
  const orders = new Map<string, number>();
  const open: string[] = [];
  const visit = (node: string): number => {
    const order = orders.size;
    orders.set(node, order);
    open.push(node);
    let lowest = order;
    for (const next of graph.get(node) ?? []) {
      const known = orders.get(next);
      if (known === undefined) lowest = Math.min(lowest, visit(next));
      else if (open.includes(next)) lowest = Math.min(lowest, known);
    }
    if (lowest === order) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.toSorted());
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!orders.has(node)) visit(node);
  return circles.toSorted((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''));
}
