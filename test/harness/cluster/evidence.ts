import { requestIdOf } from '../../../src/gateway/event-id.ts';
import type { Cluster } from './cluster.ts';
import type { Load, Outcome } from './load.ts';
import { costNanoOf } from './priced-provider.ts';

const FILE_READERS = 8;
/** Of each promise, so many requests are named. */
const MAX_NAMED = 5;

/** A row of the usage log. */
export interface UsageRow {
  readonly requestId: string;
  /** Null where its client sent none. */
  readonly name: string | null;
  readonly status: string;
  readonly costNano: bigint;
}

export interface SpentBudget {
  /** What happened while it was used. */
  readonly fault: string;
  readonly amountNano: bigint;
  /** By the usage log. */
  readonly spentNano: bigint;
}

/** What clients, the provider, and the usage log know after a run. */
export interface Evidence {
  readonly outcomes: readonly Outcome[];
  /** How often the provider received each request. */
  readonly received: ReadonlyMap<string, number>;
  readonly rows: readonly UsageRow[];
  readonly budgets: readonly SpentBudget[];
  /** By the roll-ups, which reports read. */
  readonly rolledUpNano: bigint;
  /** Files whose upload was answered, and which cannot be read. */
  readonly lostFiles: readonly string[];
  /** Phases after which a used idempotency key may be used again. */
  readonly phasesWithoutClaims: ReadonlySet<string>;
}

/** A budget that runs out while something happens. */
export interface FaultBudget {
  readonly fault: string;
  readonly amountNano: bigint;
}

/** @param budgets by the id of their key */
export async function readEvidence(
  cluster: Cluster,
  load: Load,
  budgets: ReadonlyMap<string, FaultBudget>,
  phasesWithoutClaims: ReadonlySet<string>,
): Promise<Evidence> {
  await cluster.whenDrained();
  const stored = await cluster.query<{ id: string; name: string | null; status: string; cost: string; key: string }>(
    'select event_id as id, end_user as name, status, coalesce(cost_nano, 0)::text as cost, api_key_id as key from usage_logs',
  );
  const spentNano = (keyId: string): bigint =>
    stored.reduce((sum, { key, cost }) => (key === keyId ? sum + BigInt(cost) : sum), 0n);
  const [rolledUp] = await cluster.query<{ cost: string }>(
    'select coalesce(sum(cost_nano), 0)::text as cost from usage_rollups where not by_key and span = 15',
  );
  return {
    outcomes: load.outcomes,
    received: cluster.provider.received,
    rows: stored.map(({ id, name, status, cost }) => ({
      requestId: requestIdOf(id),
      name,
      status,
      costNano: BigInt(cost),
    })),
    budgets: [...budgets].map(([keyId, budget]) => ({ ...budget, spentNano: spentNano(keyId) })),
    rolledUpNano: BigInt(rolledUp?.cost ?? 0),
    lostFiles: await lostFiles(cluster, load.files),
    phasesWithoutClaims,
  };
}

async function lostFiles({ processes, apiKey }: Cluster, files: ReadonlyMap<string, string>): Promise<string[]> {
  const left = [...files];
  const lost: string[] = [];
  const reader = async (url: string): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [id, content] = next;
      const headers = { authorization: `Bearer ${apiKey}` };
      const response = await fetch(`${url}/v1/files/${id}/content`, { headers });
      if ((await response.text()) !== content) lost.push(id);
    }
  };
  await Promise.all(
    Array.from({ length: FILE_READERS }, (_, at) => reader(processes[at % processes.length]?.url ?? '')),
  );
  return lost;
}

/** @returns a sentence for each promise that was broken */
export function brokenPromises(evidence: Evidence): string[] {
  const { outcomes, received, rows, budgets, rolledUpNano, lostFiles: lost, phasesWithoutClaims } = evidence;
  const byId = Map.groupBy(rows, ({ requestId }) => requestId);
  const byName = Map.groupBy(rows, ({ name }) => name);
  const rowsOf = (name: string): readonly UsageRow[] => byName.get(name) ?? [];
  const answered = outcomes.filter(({ kind, isWhole, isReplay }) => kind !== 'file' && isWhole && !isReplay);
  const runAgain = new Set(
    outcomes.filter(({ kind, phase }) => kind === 'keyed' && phasesWithoutClaims.has(phase)).map(({ name }) => name),
  );
  const arrived = [...received].filter(([name]) => !runAgain.has(name));
  const sum = rows.reduce((total, { costNano }) => total + costNano, 0n);
  const promises: readonly (readonly [sentence: string, broken: readonly string[]])[] = [
    [
      'answered requests are not in the usage log exactly once',
      answered.filter(({ requestId }) => byId.get(requestId ?? '')?.length !== 1).map(({ name }) => name),
    ],
    [
      'answered requests have another cost than that of their usage',
      answered
        .filter(({ name, requestId }) =>
          byId.get(requestId ?? '')?.some(({ costNano }) => costNano !== costNanoOf(name)),
        )
        .map(({ name }) => name),
    ],
    [
      'requests that the provider received are not in the usage log exactly once',
      arrived
        .filter(([name]) => rowsOf(name).filter(({ status }) => status !== 'rejected').length !== 1)
        .map(([name]) => name),
    ],
    ['requests reached the provider more than once', arrived.filter(([, count]) => count > 1).map(([name]) => name)],
    [
      'requests have a cost that neither reached the provider nor were interrupted',
      rows
        .filter(({ name, status, costNano }) => costNano > 0n && status !== 'interrupted' && !received.has(name ?? ''))
        .map(({ name, requestId }) => name ?? requestId),
    ],
    [
      'budgets are overdrawn',
      budgets
        .filter(({ amountNano, spentNano }) => spentNano > amountNano)
        .map(({ fault, amountNano, spentNano }) => `${spentNano} of ${amountNano} nano-USD (${fault})`),
    ],
    ['roll-ups differ from the usage log', sum === rolledUpNano ? [] : [`${rolledUpNano} instead of ${sum} nano-USD`]],
    ['stored files cannot be read', lost],
  ];
  return promises
    .filter(([, broken]) => broken.length > 0)
    .map(([sentence, broken]) => `${broken.length} ${sentence}: ${broken.slice(0, MAX_NAMED).join(', ')}`);
}
