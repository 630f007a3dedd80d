import { z } from 'zod';
import type { Cluster } from './cluster.ts';
import { readEvidence, type Evidence, type FaultBudget } from './evidence.ts';
import type { Fault } from './faults.ts';
import type { Load } from './load.ts';

/** How long each part of a fault takes: a time in measurements, a number of requests in tests. */
export interface Pace {
  baseline(load: Load): Promise<void>;
  before(load: Load): Promise<void>;
  /** Between the begin and the end of a fault. */
  during(load: Load): Promise<void>;
  after(load: Load): Promise<void>;
  /** Of the key that is used up during a fault, in nano-USD. */
  readonly budgetNano: bigint;
}

const createdKey = z.object({
  createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }),
});
const NANO_PER_USD = 1_000_000_000;
const BUDGET_CLIENTS = 8;
const BASELINE = 'baseline';
const BETWEEN = 'between';

/** Has each fault happen once while the load goes on. Each has a budget that runs out. @returns what is known afterwards */
export async function runFaults(
  cluster: Cluster,
  load: Load,
  faults: readonly Fault[],
  pace: Pace,
  say: (text: string) => void = () => undefined,
): Promise<Evidence> {
  const budgets = new Map<string, FaultBudget>();
  load.phase = BASELINE;
  await pace.baseline(load);
  for (const fault of faults) {
    say(fault.name);
    load.phase = BETWEEN;
    load.budgetKey = await newBudget(cluster, { fault: fault.name, amountNano: pace.budgetNano }, budgets);
    await pace.before(load);
    load.phase = fault.name;
    await fault.begin(cluster);
    await pace.during(load);
    await fault.end(cluster);
    await pace.after(load);
    load.phase = BETWEEN;
    await load.exhaustBudget(BUDGET_CLIENTS);
  }
  await load.stop();
  const withoutClaims = faults.filter(({ losesClaims }) => losesClaims).map(({ name }) => name);
  return readEvidence(cluster, load, budgets, new Set(withoutClaims));
}

async function newBudget(cluster: Cluster, budget: FaultBudget, budgets: Map<string, FaultBudget>): Promise<string> {
  const amount = (Number(budget.amountNano) / NANO_PER_USD).toFixed(9);
  const created = await cluster.graphql(
    `mutation { createApiKey(input: { name: "budget ${budgets.size + 1}", budget: { amount: "${amount}", period: TOTAL },
      limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrency: 1000 } }) { secret apiKey { id } } }`,
  );
  const { createApiKey } = createdKey.parse(created);
  budgets.set(rowIdOf(createApiKey.apiKey.id), budget);
  return createApiKey.secret;
}

/** The id of a row, of the one that GraphQL shows. */
function rowIdOf(id: string): string {
  return Buffer.from(id, 'base64url').toString().split(':')[1] ?? '';
}
