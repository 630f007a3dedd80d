import type { LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { ComparisonView } from '../../services/comparisons/comparison-views.ts';
import type { Caller } from '../operation/context.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import {
  ComparisonKind,
  ComparisonLaneStatus,
  type Comparison,
  type ComparisonLane,
  type ComparisonMedia,
  type SharedComparison,
} from './comparison.types.ts';

const kinds = {
  chat: ComparisonKind.CHAT,
  image: ComparisonKind.IMAGE,
  speech: ComparisonKind.SPEECH,
  embeddings: ComparisonKind.EMBEDDINGS,
} as const;

const statuses = {
  running: ComparisonLaneStatus.RUNNING,
  finished: ComparisonLaneStatus.FINISHED,
  failed: ComparisonLaneStatus.FAILED,
  cancelled: ComparisonLaneStatus.CANCELLED,
  interrupted: ComparisonLaneStatus.INTERRUPTED,
} as const;

/** Creates a signed link to a file. */
export type LinkTo = (blobId: string) => string;

/** The voter: a user, or a key without an owner. */
export function voterOf(caller: Caller): string {
  return caller.kind === 'session' ? caller.identity.userId : (caller.key.memberId ?? caller.key.id);
}

export function toComparison(view: ComparisonView, voter: string, linkTo: LinkTo): Comparison {
  const { row, lanes, votes } = view;
  const own = votes.find((vote) => vote.voter === voter);
  return {
    ...toSharedComparison(view, linkTo),
    id: toGlobalId('Comparison', row.id),
    memberId: row.memberId === null ? null : toGlobalId('User', row.memberId),
    isRunning: lanes.some(({ status }) => status === 'running'),
    cost: usd(lanes.reduce((sum, { costNano }) => sum + costNano, 0n)),
    hasVoted: own !== undefined,
    votedFor: lanes.find(({ position }) => position === own?.position)?.model ?? null,
    sharedAt: row.sharedAt,
  };
}

export function toSharedComparison(
  { row, endedAt, question, lanes, votes }: ComparisonView,
  linkTo: LinkTo,
): SharedComparison {
  const { messages, prompt, texts, parameters } = question;
  const counts = lanes.map(({ position }) => votes.filter((vote) => vote.position === position).length);
  const most = Math.max(0, ...counts);
  const winners = lanes.filter((_lane, index) => counts[index] === most);
  return {
    kind: kinds[row.kind],
    name: row.name,
    prompt: prompt ?? null,
    messages: messages ?? null,
    texts: texts ? [...texts] : null,
    parameters: parameters ?? null,
    lanes: lanes.map((lane, index) => toLane(lane, counts[index] ?? 0, linkTo)),
    winner: most > 0 && winners.length === 1 ? (winners[0]?.model ?? null) : null,
    createdAt: row.createdAt,
    endedAt,
  };
}

export function toLane(lane: LaneState, votes: number, linkTo: LinkTo): ComparisonLane {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated, errorCode, errorMessage } = lane;
  const media = lane.media.map(({ blobId, contentType, size }): ComparisonMedia => ({
    contentType,
    size,
    url: linkTo(blobId),
  }));
  return {
    lane: lane.position,
    model: lane.model,
    servedModel: lane.servedModel,
    provider: lane.provider,
    status: statuses[lane.status],
    output: lane.output,
    reasoning: lane.reasoning,
    toolCalls: lane.toolCalls.map((call) => ({ ...call })),
    media,
    similarity: lane.similarity,
    dimensions: lane.dimensions,
    finishReason: lane.finishReason,
    usage: { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated },
    cost: usd(lane.costNano),
    firstTokenMs: lane.firstTokenMs,
    durationMs: lane.durationMs,
    tokensPerSecond: lane.tokensPerSecond,
    error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
    votes,
  };
}
