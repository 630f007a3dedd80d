import { SpanKind, type Attributes, type SpanContext } from '@opentelemetry/api';
import type { ErrorCode } from '../../errors/index.ts';
import type {
  HttpExchange,
  RequestSpan,
  SettledRequest,
  SpanIds,
  TracedCall,
} from '../../gateway/telemetry/request-span.ts';
import type { UsageAttempt } from '../../gateway/usage/usage-record.ts';
import { attemptAttributes, errorOf, identityAttributes } from './attempt-attributes.ts';
import { finishedSpan } from './finished-span.ts';
import { openInferenceAttributes } from './open-inference.ts';
import { callAttributes, settledAttributes } from './request-attributes.ts';
import { IdentityReader } from './response-identity.ts';
import type { SampledContext, SpanDependencies } from './span-dependencies.ts';
import { endOf, kindOf, type SpanForm } from './span-form.ts';
import { contextHeaders } from './trace-context.ts';

/** A request whose spans are recorded: one of its own, and one for each attempt. */
export class SampledRequest implements RequestSpan {
  readonly isSampled = true;
  readonly #dependencies: SpanDependencies;
  readonly #context: SpanContext;
  readonly #parent: SpanContext | undefined;
  readonly #state: string | null;
  readonly #startedAt: number;
  readonly #identity = new IdentityReader();
  readonly #attempts: SpanContext[] = [];
  #call: TracedCall | null = null;
  #isRunning = false;
  #isRegistered = false;
  #error: ErrorCode | null = null;
  #attributes: Attributes = {};
  #settled: SettledRequest | null = null;
  /** Null until the response is closed. Of an internal request, until it has ended. */
  #exchange: HttpExchange | null = null;
  #closedAt = 0;
  readonly #form: SpanForm;
  #links: readonly SpanContext[];

  constructor(dependencies: SpanDependencies, { context, parent, state, links = [] }: SampledContext, form: SpanForm) {
    this.#dependencies = dependencies;
    this.#context = context;
    this.#parent = parent;
    this.#state = state;
    this.#form = form;
    this.#links = links;
    this.#startedAt = dependencies.now();
  }

  get ids(): SpanIds {
    const { traceId, spanId } = this.#context;
    return { traceId, spanId };
  }

  get outboundHeaders(): readonly string[] {
    const { traceId, spanId, traceFlags } = this.#attempts.at(-1) ?? this.#context;
    return contextHeaders({ traceId, spanId, flags: traceFlags }, this.#state);
  }

  begin(call: TracedCall): void {
    this.#call = call;
    // The client may have disconnected before: the span is exported then.
    if (this.#closedAt !== 0) return;
    this.#isRunning = true;
    this.#isRegistered = true;
    this.#dependencies.register(call.requestId, this.#context);
  }

  startAttempt(): void {
    this.#identity.restart();
    this.#attempts.push({ ...this.#context, spanId: this.#dependencies.newSpanId() });
  }

  startChild(): SampledRequest {
    const context = { ...this.#context, spanId: this.#dependencies.newSpanId() };
    return new SampledRequest(
      this.#dependencies,
      { context, parent: this.#context, state: this.#state },
      { type: 'internal' },
    );
  }

  continuedBy(call: TracedCall): SampledRequest {
    this.#call = call;
    return this.startChild();
  }

  createdBatch(id: string): void {
    this.#links = [...this.#links, this.#dependencies.batchContext(id)];
  }

  received(bytes: Buffer): void {
    this.#identity.read(bytes);
  }

  identified(id: string, model: string): void {
    this.#identity.id = id;
    this.#identity.model = model;
  }

  settled(request: SettledRequest): void {
    this.#settled = request;
    this.#dependencies.metrics?.settled(request);
    // A response from the cache is no call of a provider.
    if (request.target.cachedCostNano === undefined) this.#emitAttempts(request);
  }

  ended(_httpStatus: number | null, code: ErrorCode | null): void {
    if (!this.#isRunning) return;
    this.#isRunning = false;
    this.#error ??= code;
    if (this.#form.type === 'internal') this.#closedAt = this.#dependencies.now();
    if (this.#closedAt !== 0) this.#emit();
  }

  failed(code: ErrorCode): void {
    this.#error ??= code;
  }

  closed(exchange: HttpExchange | null): void {
    this.#exchange = exchange;
    this.#closedAt = this.#dependencies.now();
    if (exchange !== null) this.#dependencies.metrics?.closed(exchange, this.#closedAt - this.#startedAt);
    if (!this.#isRunning) this.#emit();
  }

  #emitAttempts(request: SettledRequest): void {
    const attempts = JSON.parse(`[${request.attempts}]`) as UsageAttempt[];
    attempts.forEach((attempt, at) => this.#emitAttempt(request, attempt, at, at === attempts.length - 1));
  }

  #emitAttempt(request: SettledRequest, attempt: UsageAttempt, at: number, isLast: boolean): void {
    const { hasOpenInference, newSpanId, emit, content, now } = this.#dependencies;
    const { capability } = request.admitted;
    const attributes = attemptAttributes(request, attempt, isLast);
    if (isLast) Object.assign(attributes, identityAttributes(this.#identity));
    const startedAt = this.#startedAt + (attempt.started_ms ?? 0);
    const addInference = (): void => {
      if (hasOpenInference) Object.assign(attributes, openInferenceAttributes(capability, attributes));
    };
    const span = finishedSpan(this.#dependencies, {
      name: `${String(attributes['gen_ai.operation.name'])} ${attempt.model}`,
      kind: SpanKind.CLIENT,
      context: this.#attempts[at] ?? { ...this.#context, spanId: newSpanId() },
      parent: this.#context,
      startedAt,
      // Times of attempts are whole milliseconds.
      endedAt: Math.min(startedAt + attempt.duration_ms, now()),
      attributes,
      isError: errorOf(request, attempt, isLast) !== null,
    });
    addInference();
    const call = this.#call;
    if (content === null || !isLast || call?.logged?.level !== 'full') return emit(span);
    content.wait(call.eventId, span, (messages) => {
      Object.assign(attributes, messages);
      addInference();
    });
  }

  #emit(): void {
    const { emit, register, hasOpenInference } = this.#dependencies;
    const { name, isError, attributes: own } = endOf(this.#form, this.#exchange, this.#settled, this.#error);
    const attributes = this.#attributes;
    Object.assign(attributes, own);
    if (this.#call !== null) {
      // A request that another span continues is registered with that one.
      if (this.#isRegistered) register(this.#call.requestId, null);
      Object.assign(attributes, callAttributes(this.#call));
    }
    if (this.#settled !== null) {
      Object.assign(attributes, settledAttributes(this.#settled));
      attributes['sluice.attempts'] = this.#attempts.length;
    }
    if (this.#error !== null) attributes['sluice.error.code'] = this.#error;
    if (hasOpenInference && this.#call !== null) attributes['openinference.span.kind'] = 'CHAIN';
    if (isError) attributes['error.type'] = this.#error ?? String(this.#exchange?.status ?? 'aborted');
    emit(
      finishedSpan(this.#dependencies, {
        name,
        kind: kindOf(this.#form),
        context: this.#context,
        parent: this.#parent,
        startedAt: this.#startedAt,
        endedAt: this.#closedAt,
        attributes,
        links: this.#links,
        isError,
      }),
    );
  }
}
