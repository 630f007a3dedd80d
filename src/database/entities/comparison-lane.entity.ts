import { BigIntType, JsonType, OptionalProps, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { LaneMedia, LaneState, LaneStatus, LaneToolCall } from '../../gateway/comparisons/lane-state.ts';
import { Comparison } from './comparison.entity.ts';

const laneStatuses = [
  'running',
  'finished',
  'failed',
  'cancelled',
  'interrupted',
] as const satisfies readonly LaneStatus[];

/** The result of one model in a comparison. */
@Entity({ tableName: 'comparison_lanes' })
@Index({
  name: 'comparison_lanes_by_model',
  expression: 'create index comparison_lanes_by_model on comparison_lanes (model, comparison_id)',
})
export class ComparisonLane implements LaneState {
  [PrimaryKeyProp]?: ['comparison', 'position'];
  [OptionalProps]?:
    | 'status'
    | 'cancelAsked'
    | 'servedModel'
    | 'provider'
    | 'output'
    | 'reasoning'
    | 'toolCalls'
    | 'media'
    | 'similarity'
    | 'dimensions'
    | 'finishReason'
    | 'inputTokens'
    | 'outputTokens'
    | 'cachedTokens'
    | 'reasoningTokens'
    | 'estimated'
    | 'costNano'
    | 'firstTokenMs'
    | 'durationMs'
    | 'tokensPerSecond'
    | 'errorCode'
    | 'errorMessage';

  @ManyToOne(() => Comparison, { primary: true, deleteRule: 'cascade' })
  comparison!: Comparison;

  /** From 0, in the order in which the models were requested. */
  @PrimaryKey({ type: 'smallint' })
  position!: number;

  /** As requested. */
  @Property({ type: 'text' })
  model!: string;

  /** The `x-request-id` of its request. */
  @Property({ type: 'text' })
  requestId!: string;

  @Enum({ items: () => [...laneStatuses], type: 'text', default: 'running' })
  status: LaneStatus = 'running';

  /** Whether cancellation was requested, whichever process runs it. */
  @Property({ type: 'boolean', default: false })
  cancelAsked: boolean = false;

  /** Canonical: `provider/model`; null until a provider was called. */
  @Property({ type: 'text', nullable: true })
  servedModel: string | null = null;

  @Property({ type: 'text', nullable: true })
  provider: string | null = null;

  /** The text of a chat's first choice so far. Like the next two it may be megabytes long, so they are lazy. */
  @Property({ type: 'text', default: '', lazy: true })
  output: string = '';

  @Property({ type: 'text', default: '', lazy: true })
  reasoning: string = '';

  @Property({ type: JsonType, defaultRaw: "'[]'", lazy: true })
  toolCalls: readonly LaneToolCall[] = [];

  @Property({ type: JsonType, defaultRaw: "'[]'" })
  media: readonly LaneMedia[] = [];

  /** The cosine of the angle between the two embeddings. */
  @Property({ type: 'double', nullable: true })
  similarity: number | null = null;

  /** Of each embedding. */
  @Property({ type: 'integer', nullable: true })
  dimensions: number | null = null;

  @Property({ type: 'text', nullable: true })
  finishReason: string | null = null;

  @Property({ type: 'integer', default: 0 })
  inputTokens: number = 0;

  @Property({ type: 'integer', default: 0 })
  outputTokens: number = 0;

  @Property({ type: 'integer', default: 0 })
  cachedTokens: number = 0;

  @Property({ type: 'integer', default: 0 })
  reasoningTokens: number = 0;

  /** True if the tokens were estimated here, or are not final. */
  @Property({ type: 'boolean', default: true })
  estimated: boolean = true;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint'), default: 0 })
  costNano: bigint = 0n;

  @Property({ type: 'integer', nullable: true })
  firstTokenMs: number | null = null;

  @Property({ type: 'integer', nullable: true })
  durationMs: number | null = null;

  @Property({ type: 'double', nullable: true })
  tokensPerSecond: number | null = null;

  @Property({ type: 'text', nullable: true })
  errorCode: string | null = null;

  /** For the client. */
  @Property({ type: 'text', nullable: true })
  errorMessage: string | null = null;
}
