// A worker with nothing but limits, which does what the test tells it.
import { limitMessages } from '../../../src/composition/gateway/worker-limits.ts';
import { toSluiceError } from '../../../src/errors/index.ts';
import type { KeyRecord, RateLimits } from '../../../src/gateway/keys/key-directory.ts';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import { boundsOf, type Reservation } from '../../../src/gateway/limits/limit-store.ts';
import { WorkerLimitStore } from '../../../src/gateway/limits/shared/worker-limit-store.ts';
import { ChannelHandlers } from '../../../src/workers/channel-handlers.ts';
import { PeerChannel } from '../../../src/workers/peer-channel.ts';
import { peerOf } from '../../harness/child-peer.ts';

/** Costs are texts: JSON has no bigint. */
export type WorkerCommand =
  | {
      readonly type: 'reserve';
      readonly count: number;
      readonly keyId: string;
      readonly limits: Partial<RateLimits>;
      readonly cost?: string;
      readonly amount?: string;
    }
  | { readonly type: 'settle'; readonly cost: string }
  | { readonly type: 'recovered' }
  | { readonly type: 'open'; readonly keyId: string; readonly amount: string; readonly spent: string }
  | { readonly type: 'state'; readonly keyId: string; readonly amount: string };

export interface NumberedCommand {
  readonly number: number;
  readonly command: WorkerCommand;
}

const ACCOUNT = '00000000-0000-4000-8000-0000000000aa';
const handlers = new ChannelHandlers();
const store = new WorkerLimitStore(limitMessages(new PeerChannel(peerOf(process), handlers), handlers));
const open: { key: KeyRecord; reservation: Reservation }[] = [];
let event = 0;

function budgetOf(keyId: string, amount: string): Budget {
  const amountNano = BigInt(amount);
  return { id: `key:${keyId}`, subject: 'key', accountId: ACCOUNT, amountNano, period: 'TOTAL', timeZone: 'UTC' };
}

function keyOf(id: string, limits: Partial<RateLimits>, budgets: readonly Budget[]): KeyRecord {
  const wide = { requestsPerMinute: 1e6, tokensPerMinute: 1e9, requestsPerDay: 1e9, concurrency: 1e6 };
  return {
    id,
    accountId: ACCOUNT,
    memberId: null,
    name: 'test',
    scopes: new Set(['inference']),
    allowedModels: null,
    expiresAt: null,
    limits: { ...wide, ...limits },
    liveContent: false,
    cacheMs: null,
    moderation: null,
    plan: { id: 'test', capabilities: null, models: null, markupPpm: 0, overage: 'bill' },
    budgets,
  };
}

/** @returns the code of the refusal; null where it is admitted */
async function reserve(key: KeyRecord, cost: string): Promise<string | null> {
  const at = Date.now();
  const reservation = { eventId: String(++event), at, bounds: boundsOf(key), tokens: 1, costNano: BigInt(cost) };
  try {
    await store.reserve(key, 'openai/x', reservation);
    open.push({ key, reservation });
    return null;
  } catch (error) {
    return toSluiceError(error).code;
  }
}

async function run(command: WorkerCommand): Promise<unknown> {
  switch (command.type) {
    case 'reserve': {
      const { count, keyId, limits, cost = '0', amount } = command;
      const key = keyOf(keyId, limits, amount === undefined ? [] : [budgetOf(keyId, amount)]);
      return Promise.all(Array.from({ length: count }, () => reserve(key, cost)));
    }
    case 'settle':
      for (const { key, reservation } of open.splice(0))
        store.settle(key, reservation, { tokens: 1, costNano: BigInt(command.cost) });
      return null;
    case 'recovered':
      return store.recovered();
    case 'open': {
      const budget = budgetOf(command.keyId, command.amount);
      const isNew = await store.open(budget);
      if (isNew) await store.add(budget, BigInt(command.spent), Date.now());
      return isNew;
    }
    case 'state': {
      const state = await store.state(budgetOf(command.keyId, command.amount));
      return state && { spent: String(state.spentNano), reserved: String(state.reservedNano) };
    }
  }
}

process.on('message', ({ command, number }: Partial<NumberedCommand>) => {
  if (command !== undefined) void run(command).then((result) => process.send?.({ number, result: result ?? null }));
});
