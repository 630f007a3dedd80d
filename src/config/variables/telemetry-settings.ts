import type { z } from 'zod';
import type { telemetryVariables } from './telemetry-variables.ts';

type Variables = z.infer<z.ZodObject<typeof telemetryVariables>>;

const signals = ['traces', 'metrics', 'logs'] as const;
type SignalName = (typeof signals)[number];

/** Where and how one signal is exported. */
export interface SignalSettings {
  readonly url: string;
  readonly protocol: Variables['OTEL_EXPORTER_OTLP_PROTOCOL'];
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: Variables['OTEL_EXPORTER_OTLP_COMPRESSION'];
}

/** What is configured of OpenTelemetry. */
export interface TelemetrySettings {
  /** A signal that is not exported is absent. */
  readonly signals: Readonly<Partial<Record<SignalName, SignalSettings>>>;
  readonly sampler: Variables['OTEL_TRACES_SAMPLER'];
  readonly samplingRatio: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly metricIntervalMs: number;
  readonly capturesContent: boolean;
  readonly hasOpenInference: boolean;
}

/** @returns null where nothing is exported */
export function telemetrySettings(variables: Variables): TelemetrySettings | null {
  if (variables.OTEL_SDK_DISABLED) return null;
  const exported = signals.flatMap((signal) => {
    const settings = signalSettings(variables, signal);
    return settings === null ? [] : [[signal, settings] as const];
  });
  if (exported.length === 0) return null;
  const attributes = pairsIn(variables.OTEL_RESOURCE_ATTRIBUTES) ?? {};
  return {
    signals: Object.fromEntries(exported),
    sampler: variables.OTEL_TRACES_SAMPLER,
    samplingRatio: variables.OTEL_TRACES_SAMPLER_ARG,
    resource: {
      'service.name': 'sluice',
      ...attributes,
      ...(variables.OTEL_SERVICE_NAME && { 'service.name': variables.OTEL_SERVICE_NAME }),
    },
    metricIntervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL,
    capturesContent: variables.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
    hasOpenInference: variables.SLUICE_TRACING_OPENINFERENCE,
  };
}

/** @returns errors of lists, which do not contain their values: they may be secrets */
export function telemetryFaults(variables: Variables): string[] {
  const lists = [
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
    'OTEL_EXPORTER_OTLP_METRICS_HEADERS',
    'OTEL_EXPORTER_OTLP_LOGS_HEADERS',
    'OTEL_RESOURCE_ATTRIBUTES',
  ] as const;
  return lists
    .filter((name) => pairsIn(variables[name]) === null)
    .map((name) => `${name} must be name=value pairs, separated by commas, with percent-encoded values`);
}

function signalSettings(variables: Variables, signal: SignalName): SignalSettings | null {
  const name = { traces: 'TRACES', metrics: 'METRICS', logs: 'LOGS' } as const;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base } = variables;
  const url = variables[`OTEL_EXPORTER_OTLP_${name[signal]}_ENDPOINT`] ?? (base && urlOf(base, signal));
  if (url === undefined || variables[`OTEL_${name[signal]}_EXPORTER`] === 'none') return null;
  return {
    url,
    protocol: variables.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: {
      ...pairsIn(variables.OTEL_EXPORTER_OTLP_HEADERS),
      ...pairsIn(variables[`OTEL_EXPORTER_OTLP_${name[signal]}_HEADERS`]),
    },
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    compression: variables.OTEL_EXPORTER_OTLP_COMPRESSION,
  };
}

function urlOf(base: string, signal: SignalName): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`;
  return url.href;
}

/** @returns null for text that is no such list */
function pairsIn(text: string | undefined): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  for (const entry of (text ?? '').split(',').filter((part) => part.trim() !== '')) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, Math.max(0, at)).trim();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return null;
    try {
      pairs[name] = decodeURIComponent(entry.slice(at + 1).trim());
    } catch {
      return null;
    }
  }
  return pairs;
}
