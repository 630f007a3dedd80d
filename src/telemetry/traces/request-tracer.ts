import { ROOT_CONTEXT, SpanKind, trace, type Attributes, type Context, type SpanContext } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { IncomingTrace, RequestSpan, Telemetry } from '../../gateway/telemetry/request-span.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { TelemetrySettings } from '../telemetry-settings.ts';
import { SampledRequest, type SpanDependencies } from './sampled-request.ts';
import { contextHeaders, flagsOf, readTraceparent, readTracestate, type RemoteContext } from './trace-context.ts';
import { UnsampledRequest } from './unsampled-request.ts';

const noAttributes: Attributes = {};
const NAME = 'request';

/** Decides for each request whether it is sampled, before anything is created for its spans. */
export class RequestTracer implements Telemetry {
  readonly #dependencies: SpanDependencies;
  readonly #sampler: Sampler;
  readonly #ids = new RandomIdGenerator();

  constructor(
    dependencies: Omit<SpanDependencies, 'newSpanId'>,
    settings: Pick<TelemetrySettings, 'sampler' | 'samplingRatio'>,
  ) {
    this.#dependencies = { ...dependencies, newSpanId: () => this.#ids.generateSpanId() };
    this.#sampler = samplerOf(settings);
  }

  startRequest({ traceparent, tracestate }: IncomingTrace): RequestSpan {
    const remote = readTraceparent(traceparent);
    return this.#start(remote, remote === null ? null : readTracestate(tracestate), SpanKind.SERVER);
  }

  startInternal(): RequestSpan {
    return this.#start(null, null, SpanKind.INTERNAL);
  }

  #start(remote: RemoteContext | null, state: string | null, kind: SpanKind): RequestSpan {
    const traceId = remote?.traceId ?? this.#ids.generateTraceId();
    const parent = remote === null ? undefined : spanContextOf(remote, state);
    const context: Context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const { decision } = this.#sampler.shouldSample(context, traceId, NAME, kind, noAttributes, []);
    const isSampled = decision === SamplingDecision.RECORD_AND_SAMPLED;
    const spanId = this.#ids.generateSpanId();
    const flags = flagsOf(isSampled, remote?.flags ?? null);
    const { metrics, now } = this.#dependencies;
    if (!isSampled) return new UnsampledRequest(contextHeaders({ traceId, spanId, flags }, state), metrics, now);
    const own: SpanContext = {
      traceId,
      spanId,
      traceFlags: flags,
      ...(parent?.traceState && { traceState: parent.traceState }),
    };
    return new SampledRequest(this.#dependencies, { context: own, parent, state }, kind === SpanKind.INTERNAL);
  }
}

/** Measures requests where traces are not exported. */
export class UntracedRequests implements Telemetry {
  readonly #metrics: RequestMetrics;
  readonly #now: () => number;

  constructor(metrics: RequestMetrics, now: () => number) {
    this.#metrics = metrics;
    this.#now = now;
  }

  startRequest(): RequestSpan {
    return new UnsampledRequest([], this.#metrics, this.#now);
  }

  startInternal(): RequestSpan {
    return new UnsampledRequest([], this.#metrics, this.#now);
  }
}

function spanContextOf({ traceId, spanId, flags }: RemoteContext, state: string | null): SpanContext {
  const traceState = state === null ? undefined : new TraceState(state);
  return { traceId, spanId, traceFlags: flags, isRemote: true, ...(traceState && { traceState }) };
}

function samplerOf({ sampler, samplingRatio: ratio }: Pick<TelemetrySettings, 'sampler' | 'samplingRatio'>): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}
