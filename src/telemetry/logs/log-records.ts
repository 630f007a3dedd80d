import type { AnyValue, SeverityNumber, SpanContext } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { redactSecrets } from '../../errors/index.ts';
import { hrTime } from '../traces/finished-span.ts';

const none: readonly string[] = [];
/** By pino's levels: the conventions of OpenTelemetry for log severity. */
const severities: readonly (readonly [level: number, number: SeverityNumber, text: string])[] = [
  [60, 21, 'FATAL'],
  [50, 17, 'ERROR'],
  [40, 13, 'WARN'],
  [30, 9, 'INFO'],
  [20, 5, 'DEBUG'],
  [0, 1, 'TRACE'],
];
/** Members of a line that a record has in other places. */
const reserved: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

export interface LogSource {
  readonly resource: Resource;
  readonly scope: InstrumentationScope;
  /** The context of an open request; undefined where it is not sampled, or has ended. */
  contextOf(requestId: string): SpanContext | undefined;
}

/** A line of the log as exporters of the SDK read it; null for a line that is no record. */
export function logRecord({ resource, scope, contextOf }: LogSource, line: string): ReadableLogRecord | null {
  const record = parsed(line);
  if (record === null) return null;
  const { level, time, msg } = record;
  const [, severityNumber, severityText] = severities.find(([least]) => Number(level) >= least) ?? [0, 1, 'TRACE'];
  const at = hrTime(typeof time === 'number' ? time : 0);
  const { requestId } = record;
  const spanContext = typeof requestId === 'string' ? contextOf(requestId) : undefined;
  const attributes: Record<string, AnyValue> = {};
  for (const [name, value] of Object.entries(record))
    if (!reserved.has(name)) attributes[name] = name === 'requestId' ? String(value) : withoutSecrets(value);
  return {
    hrTime: at,
    hrTimeObserved: at,
    ...(spanContext && { spanContext }),
    severityNumber: severityNumber as SeverityNumber,
    severityText,
    body: typeof msg === 'string' ? redactSecrets(msg, none) : '',
    resource,
    instrumentationScope: scope,
    attributes,
    droppedAttributesCount: 0,
  };
}

/** What JSON contains is a value of an attribute. */
function withoutSecrets(value: unknown): AnyValue {
  if (typeof value === 'string') return redactSecrets(value, none);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutSecrets(each)]));
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
