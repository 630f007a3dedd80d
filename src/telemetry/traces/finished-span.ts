import { SpanStatusCode, type Attributes, type HrTime, type SpanContext, type SpanKind } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

export interface FinishedSpanOptions {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** None if absent. */
  readonly links?: readonly SpanContext[];
  readonly isError: boolean;
}

/** What all spans of this process have in common. */
export interface SpanSource {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
}

/**
 * A span as exporters of the SDK read it. It is created when everything is known of it: a span of the SDK's tracer costs several
 * times as much, while the request runs.
 */
export function finishedSpan({ resource, scope }: SpanSource, options: FinishedSpanOptions): ReadableSpan {
  const { name, kind, context, parent, startedAt, endedAt, attributes, links = [], isError } = options;
  const end = Math.max(startedAt, endedAt);
  return {
    name,
    kind,
    spanContext: () => context,
    ...(parent && { parentSpanContext: parent }),
    startTime: hrTime(startedAt),
    endTime: hrTime(end),
    duration: hrTime(end - startedAt),
    status: { code: isError ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
    links: links.map((linked) => ({ context: linked })),
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** @param ms milliseconds, with fractions */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1_000) * 1e6))];
}
