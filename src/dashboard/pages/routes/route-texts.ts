import type { TargetOrder } from '../../generated/graphql.ts';

export const orders: readonly TargetOrder[] = ['LISTED', 'WEIGHTED', 'PRICE', 'LATENCY', 'THROUGHPUT'];

export const orderNames: Readonly<Record<TargetOrder, string>> = {
  LISTED: 'As listed',
  WEIGHTED: 'By weight',
  PRICE: 'Cheapest first',
  LATENCY: 'Fastest first token',
  THROUGHPUT: 'Highest throughput',
};

interface Target {
  readonly model: string;
  readonly weight: number;
}

/** `a → b → c`, or with percentages for weighted routes. */
export function targetsText(targets: readonly Target[], order: TargetOrder | null): string {
  if (order !== 'WEIGHTED') return targets.map(({ model }) => model).join(' → ');
  const all = targets.reduce((sum, { weight }) => sum + weight, 0);
  return targets.map(({ model, weight }) => `${model} ${all === 0 ? 0 : Math.round((weight / all) * 100)}%`).join(', ');
}
