import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Cluster } from './cluster.ts';
import { readEvidence, type Evidence, type FaultBudget } from './evidence.ts';
import type { Fault } from './faults.ts';
import type { Load } from './load.ts';
import { MAX_TOKENS, PRICED_MODEL } from './priced-provider.ts';

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

/** Of the last one: no two have the same name. */
let probes = 0;

const createdKey = z.object({
  createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }),
});
const NANO_PER_USD = 1_000_000_000;
const BUDGET_CLIENTS = 8;
const PROBE_MS = 100;
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

/** @returns its key, once every process has its budget: others learn of it when they next poll for changes */
async function newBudget(cluster: Cluster, budget: FaultBudget, budgets: Map<string, FaultBudget>): Promise<string> {
  const { secret, id } = await newKey(cluster, `budget ${budgets.size + 1}`, budget.amountNano);
  budgets.set(id, budget);
  const tooSmall = await newKey(cluster, `probe ${budgets.size}`, 1n);
  await Promise.all(cluster.processes.map(({ url }) => whenRefused(url, tooSmall.secret)));
  return secret;
}

async function newKey(cluster: Cluster, name: string, amountNano: bigint): Promise<{ secret: string; id: string }> {
  const amount = (Number(amountNano) / NANO_PER_USD).toFixed(9);
  const created = await cluster.graphql(
    `mutation { createApiKey(input: { name: "${name}", budget: { amount: "${amount}", period: TOTAL },
      limits: { requestsPerMinute: 1000000, tokensPerMinute: 1000000000, concurrency: 1000 } }) { secret apiKey { id } } }`,
  );
  const { createApiKey } = createdKey.parse(created);
  return { secret: createApiKey.secret, id: rowIdOf(createApiKey.apiKey.id) };
}

/** Whether a process knows a budget shows in that it refuses what exceeds it. */
async function whenRefused(url: string, secret: string): Promise<void> {
  for (;;) {
    const name = `probe-${++probes}`;
    const messages = [{ role: 'user', content: name }];
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: PRICED_MODEL, user: name, max_tokens: MAX_TOKENS, messages }),
    });
    if ((await response.text()).includes('insufficient_quota')) return;
    await sleep(PROBE_MS);
  }
}

/** The id of a row, of the one that GraphQL shows. */
function rowIdOf(id: string): string {
  return Buffer.from(id, 'base64url').toString().split(':')[1] ?? '';
}
