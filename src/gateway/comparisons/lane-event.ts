import type { CompletionUpdate } from '../../live/events.ts';
import { mergeUpdates } from '../../live/update-coalescer.ts';
import type { LaneState } from './lane-state.ts';

type Piece = Exclude<CompletionUpdate, { readonly type: 'finished' | 'failed' }>;

/** One event of a comparison: its lane, the lane's current figures, and the update. */
export interface LaneEvent {
  readonly position: number;
  readonly model: string;
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
  /** Nano-USD so far; estimated until the provider has reported usage. */
  readonly costNano: bigint;
  readonly update: Piece | { readonly type: 'ended'; readonly lane: LaneState };
}

export function laneEvent(lane: LaneState, update: LaneEvent['update']): LaneEvent {
  const { position, model, firstTokenMs, tokensPerSecond, costNano } = lane;
  return { position, model, firstTokenMs, tokensPerSecond, costNano, update };
}

/** Joins two events of one lane, with the figures of the later one. Null where they cannot be joined. */
export function joinLaneEvents(first: LaneEvent, second: LaneEvent): LaneEvent | null {
  if (first.update.type === 'ended' || second.update.type === 'ended') return null;
  const update = mergeUpdates(first.update, second.update);
  return update === null || update.type === 'finished' || update.type === 'failed' ? null : { ...second, update };
}

/** Approximate size of an event in bytes. */
export function laneEventWeight({ update }: LaneEvent): number {
  switch (update.type) {
    case 'delta':
    case 'reasoning':
      return 200 + update.text.length;
    case 'toolCall':
      return 200 + update.arguments.length;
    case 'ended':
      return laneWeight(update.lane);
    case 'started':
      return 200;
  }
}

/** Approximate size of a lane in bytes. */
export function laneWeight({ output, reasoning, toolCalls }: LaneState): number {
  const called = toolCalls.reduce((sum, call) => sum + 200 + call.arguments.length, 0);
  return 1_000 + output.length + reasoning.length + called;
}

/** The events that reproduce the state of a lane. */
export function eventsOf(lane: LaneState): LaneEvent[] {
  const { servedModel, provider, reasoning, output, toolCalls, status } = lane;
  const updates: LaneEvent['update'][] = [];
  if (servedModel !== null && provider !== null) updates.push({ type: 'started', model: servedModel, provider });
  if (reasoning !== '') updates.push({ type: 'reasoning', choice: 0, text: reasoning });
  if (output !== '') updates.push({ type: 'delta', choice: 0, text: output });
  for (const [index, call] of toolCalls.entries()) updates.push({ type: 'toolCall', choice: 0, index, ...call });
  if (status !== 'running') updates.push({ type: 'ended', lane });
  return updates.map((update) => laneEvent(lane, update));
}
