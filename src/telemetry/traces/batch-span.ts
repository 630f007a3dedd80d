import { hash } from 'node:crypto';
import { SpanKind, type SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { eventTime } from '../../gateway/event-id.ts';
import type { EndedBatch } from '../../gateway/telemetry/request-span.ts';
import { finishedSpan, type SpanSource } from './finished-span.ts';
import { ownerAttributes } from './request-attributes.ts';

const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

/** The IDs of a batch's trace and span. They derive from its own, since lines run in any process, also before the span exists. */
export function batchIds(batchId: string): Pick<SpanContext, 'traceId' | 'spanId'> {
  const digits = hash('sha256', `sluice/batch-trace:${batchId}`, 'hex');
  return { traceId: digits.slice(0, TRACE_DIGITS), spanId: digits.slice(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS) };
}

/** @param now in milliseconds since 1970 */
export function batchSpan(source: SpanSource, batch: EndedBatch, context: SpanContext, now: number): ReadableSpan {
  const { id, endpoint, outcome, total, apiKeyId, accountId } = batch;
  return finishedSpan(source, {
    name: `batch ${endpoint}`,
    kind: SpanKind.INTERNAL,
    context,
    parent: undefined,
    startedAt: eventTime(id),
    endedAt: now,
    attributes: {
      'sluice.batch.endpoint': endpoint,
      'sluice.batch.requests': total,
      'sluice.status': outcome,
      ...ownerAttributes(apiKeyId, accountId),
    },
    isError: false,
  });
}
