import type { SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { AwaitedContent } from './awaited-content.ts';
import type { SpanSource } from './finished-span.ts';

/** What the spans of all requests share. */
export interface SpanDependencies extends SpanSource {
  readonly hasOpenInference: boolean;
  /** Milliseconds since 1970. */
  now(): number;
  newSpanId(): string;
  /** The context of a batch's span. */
  batchContext(batchId: string): SpanContext;
  emit(span: ReadableSpan): void;
  /** Null where spans contain no messages. */
  readonly content: AwaitedContent | null;
  /** Remembers the context of an open request, for its log records; `null` once it has ended. */
  register(requestId: string, context: SpanContext | null): void;
  readonly metrics: RequestMetrics | null;
}

export interface SampledContext {
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  /** As the client sent it. */
  readonly state: string | null;
  readonly links?: readonly SpanContext[];
}
