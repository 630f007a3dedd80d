import {
  ROOT_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type SpanContext,
} from '@opentelemetry/api';
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
import type {
  EndedBatch,
  IncomingTrace,
  OperationSpan,
  RequestSpan,
  Telemetry,
  TracedOperation,
} from '../../gateway/telemetry/request-span.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { TelemetrySettings } from '../telemetry-settings.ts';
import { batchIds, batchSpan } from './batch-span.ts';
import { keyAttributes } from './request-attributes.ts';
import { SampledRequest } from './sampled-request.ts';
import type { SpanDependencies } from './span-dependencies.ts';
import { kindOf, type SpanForm } from './span-form.ts';
import { contextHeaders, flagsOf, readTraceparent, readTracestate, type RemoteContext } from './trace-context.ts';
import { UnsampledRequest } from './unsampled-request.ts';

const noAttributes: Attributes = {};
const NAME = 'request';
const httpForm: SpanForm = { type: 'http' };
const internalForm: SpanForm = { type: 'internal' };
const none: readonly SpanContext[] = [];

/** Decides for each request whether it is sampled, before anything is created for its spans. */
export class RequestTracer implements Telemetry {
  readonly #dependencies: SpanDependencies;
  readonly #sampler: Sampler;
  readonly #ids = new RandomIdGenerator();

  constructor(
    dependencies: Omit<SpanDependencies, 'newSpanId' | 'batchContext'>,
    settings: Pick<TelemetrySettings, 'sampler' | 'samplingRatio'>,
  ) {
    const newSpanId = (): string => this.#ids.generateSpanId();
    this.#dependencies = { ...dependencies, newSpanId, batchContext: (id) => this.#batchContext(id) };
    this.#sampler = samplerOf(settings);
  }

  startRequest(incoming: IncomingTrace): RequestSpan {
    return this.#startRemote(incoming, httpForm);
  }

  startMessage(incoming: IncomingTrace, route: string): RequestSpan {
    return this.#startRemote(incoming, { type: 'message', route });
  }

  startInternal(batchId?: string): RequestSpan {
    return this.#start(null, null, internalForm, batchId);
  }

  startOperation(operation: TracedOperation): OperationSpan {
    const { name, key } = operation;
    const attributes = { ...operation.attributes, ...keyAttributes(key) };
    const span = this.#start(null, null, { type: 'operation', name, attributes });
    let isEnded = false;
    return {
      startChild: () => span.startChild(),
      ended: () => {
        if (!isEnded) span.closed(null);
        isEnded = true;
      },
    };
  }

  batchEnded(batch: EndedBatch): void {
    const context = this.#batchContext(batch.id);
    if ((context.traceFlags & TraceFlags.SAMPLED) === 0) return;
    const { emit, now } = this.#dependencies;
    emit(batchSpan(this.#dependencies, batch, context, now()));
  }

  #batchContext(batchId: string): SpanContext {
    const ids = batchIds(batchId);
    const isSampled = this.#isSampled(undefined, ids.traceId, SpanKind.INTERNAL);
    return { ...ids, traceFlags: flagsOf(isSampled, null) };
  }

  #startRemote({ traceparent, tracestate }: IncomingTrace, form: SpanForm): RequestSpan {
    const remote = readTraceparent(traceparent);
    return this.#start(remote, remote === null ? null : readTracestate(tracestate), form);
  }

  #isSampled(parent: SpanContext | undefined, traceId: string, kind: SpanKind): boolean {
    const context: Context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const { decision } = this.#sampler.shouldSample(context, traceId, NAME, kind, noAttributes, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  #start(remote: RemoteContext | null, state: string | null, form: SpanForm, batchId?: string): RequestSpan {
    const traceId = remote?.traceId ?? this.#ids.generateTraceId();
    const parent = remote === null ? undefined : spanContextOf(remote, state);
    const isSampled = this.#isSampled(parent, traceId, kindOf(form));
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
    const links = batchId === undefined ? none : [this.#batchContext(batchId)];
    return new SampledRequest(this.#dependencies, { context: own, parent, state, links }, form);
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

  startMessage(): RequestSpan {
    return this.startRequest();
  }

  startInternal(): RequestSpan {
    return this.startRequest();
  }

  startOperation(): OperationSpan {
    return { startChild: () => this.startRequest(), ended: () => undefined };
  }

  batchEnded(): void {}
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
