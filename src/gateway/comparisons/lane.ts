import { systemClock, type Clock } from '../../calendar/clock.ts';
import { compileRates, costNano, type CompiledRates } from '../../catalogue/prices/price.ts';
import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate, CompletionUsed } from '../../live/events.ts';
import { tokenUsage } from '../capabilities/capability.ts';
import { newEventIds, type EventIds } from '../event-id.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { ModelDirectory } from '../keys/model-directory.ts';
import type { ClientResponse } from '../client-response.ts';
import type { Pipeline } from '../pipeline.ts';
import { likenessIn, picturesIn, type MadeFile } from './lane-answer.ts';
import { laneEvent, type LaneEvent } from './lane-event.ts';
import { laneBody, openLane } from './lane-request.ts';
import {
  newLane,
  type ComparisonKind,
  type ComparisonQuestion,
  type LaneMedia,
  type LaneState,
  type LaneStatus,
} from './lane-state.ts';
import { estimateTokens } from '../request-input.ts';
import type { OpenRequest } from '../call.ts';

/** For a buffered response: images in base64, or audio. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** Longer texts are emitted as events, but not stored. */
const MAX_STORED_CHARACTERS = 4 * 1024 * 1024;
const MAX_TOOL_CALLS = 1_000;

export interface LaneParts {
  readonly pipeline: Pipeline;
  readonly models: Pick<ModelDirectory, 'find'>;
  readonly media: MediaStore;
  /** Stores a file until the comparison is deleted. */
  readonly storeFile: (accountId: string, file: MadeFile) => Promise<LaneMedia>;
  /** The pipeline's clock; the system clock if absent. */
  readonly clock?: Clock;
}

export interface LaneOptions {
  readonly key: KeyRecord;
  readonly kind: ComparisonKind;
  readonly question: ComparisonQuestion;
  readonly position: number;
  readonly model: string;
  /** Receives the lane's events; the last one follows its end. */
  readonly onEvent: (event: LaneEvent) => void;
}

/** One model's response in a comparison: a request through the pipeline, with figures while it runs. */
export class Lane {
  readonly #parts: LaneParts;
  readonly #clock: Clock;
  readonly #options: LaneOptions;
  readonly #ids: EventIds = newEventIds();
  readonly #state;
  readonly #body: Buffer;
  #openRequest: OpenRequest | null = null;
  #startedAt = 0;
  #answer: Buffer[] = [];
  #answerBytes = 0;
  #contentType = '';
  #rates: CompiledRates | null = null;
  #outputBytes = 0;
  /** Stored characters of all tool calls. */
  #toolCallCharacters = 0;
  #cancelled = false;

  constructor(parts: LaneParts, options: LaneOptions) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    this.#options = options;
    const { kind, question, position, model } = options;
    this.#body = laneBody(kind, question, model);
    this.#state = newLane(position, model, this.#ids.requestId);
  }

  /** A copy of the current state. */
  get state(): LaneState {
    return { ...this.#state };
  }

  get isRunning(): boolean {
    return this.#state.status === 'running';
  }

  start(): void {
    const { pipeline, media } = this.#parts;
    const { key, kind } = this.#options;
    this.#startedAt = this.#clock.monotonic();
    const call = {
      key,
      ...this.#ids,
      startedAt: this.#startedAt,
      response: this.#clientResponse(),
      watch: (update: CompletionUpdate) => this.#onUpdate(update),
      // A cached response would be instant and show nothing of the model.
      cacheMs: 0,
      tags: null,
    };
    this.#openRequest = openLane(pipeline, media, kind, call, this.#body);
  }

  /** Closes the provider's connection. Output so far is billed. */
  cancel(): void {
    if (!this.isRunning || this.#cancelled) return;
    this.#cancelled = true;
    this.#openRequest?.onClientDisconnect();
    // The pipeline sends no update for a request that was not sent to a provider.
    if (this.#state.servedModel === null) this.#end('cancelled');
  }

  #clientResponse(): ClientResponse {
    return {
      head: ({ contentType }) => {
        this.#contentType = contentType;
      },
      write: (bytes) => {
        this.#collect(bytes);
        return true;
      },
      end: (bytes) => {
        if (bytes !== null) this.#collect(bytes);
        void this.#finish();
      },
      fail: (error) => this.#fail(error),
      abort: () => this.#end('cancelled'),
    };
  }

  /** A chat is read from its updates; its bytes are discarded. */
  #collect(bytes: Buffer): void {
    if (this.#options.kind === 'chat' || !this.isRunning) return;
    if (this.#state.firstTokenMs === null) this.#state.firstTokenMs = this.#elapsedMs();
    this.#answerBytes += bytes.length;
    if (this.#answerBytes <= MAX_ANSWER_BYTES) this.#answer.push(bytes);
  }

  #onUpdate(update: CompletionUpdate): void {
    if (!this.isRunning) return;
    switch (update.type) {
      case 'started':
        return this.#onStarted(update);
      case 'finished':
        this.#setUsage(update);
        this.#state.finishReason = update.finishReason;
        this.#state.firstTokenMs = update.firstTokenMs === null ? null : Math.round(update.firstTokenMs);
        this.#state.durationMs = Math.round(update.durationMs);
        return;
      case 'failed':
        if (update.used) this.#setUsage(update.used);
        if (update.aborted || this.#cancelled) this.#end('cancelled');
        return;
      default:
        this.#onOutput(update);
    }
  }

  /** May be called again, where another provider takes over. */
  #onStarted(update: Extract<CompletionUpdate, { readonly type: 'started' }>): void {
    const { key } = this.#options;
    this.#state.servedModel = update.model;
    this.#state.provider = update.provider;
    const pricing = this.#parts.models.find(update.model, key.accountId)?.pricing ?? null;
    this.#rates = pricing === null ? null : compileRates(pricing);
    this.#state.inputTokens = estimateTokens(this.#body.length);
    this.#estimateUsage();
    this.#options.onEvent(laneEvent(this.#state, update));
  }

  #onOutput(update: Extract<CompletionUpdate, { readonly type: 'delta' | 'reasoning' | 'toolCall' }>): void {
    const state = this.#state;
    state.firstTokenMs ??= this.#elapsedMs();
    if (update.type === 'toolCall') this.#onToolCall(update);
    else {
      this.#outputBytes += Buffer.byteLength(update.text);
      const member = update.type === 'delta' ? 'output' : 'reasoning';
      const hasRoom = state[member].length + update.text.length <= MAX_STORED_CHARACTERS;
      if (update.choice === 0 && hasRoom) state[member] += update.text;
    }
    this.#estimateUsage();
    this.#options.onEvent(laneEvent(state, update));
  }

  #onToolCall(update: Extract<CompletionUpdate, { readonly type: 'toolCall' }>): void {
    this.#outputBytes += Buffer.byteLength(update.arguments);
    const { index, id, name } = update;
    if (update.choice !== 0 || index < 0 || index >= MAX_TOOL_CALLS) return;
    const characters = update.arguments.length + (id?.length ?? 0) + (name?.length ?? 0);
    if (this.#toolCallCharacters + characters > MAX_STORED_CHARACTERS) return;
    this.#toolCallCharacters += characters;
    const calls = [...this.#state.toolCalls];
    while (calls.length <= index) calls.push({ id: null, name: null, arguments: '' });
    const before = calls[index];
    calls[index] = {
      id: id ?? before?.id ?? null,
      name: name ?? before?.name ?? null,
      arguments: (before?.arguments ?? '') + update.arguments,
    };
    this.#state.toolCalls = calls;
  }

  /** Estimates the figures until the provider has reported usage. */
  #estimateUsage(): void {
    const state = this.#state;
    state.outputTokens = estimateTokens(this.#outputBytes);
    const used = tokenUsage(state.inputTokens, state.outputTokens);
    state.costNano = this.#rates === null ? 0n : costNano(this.#rates, used, this.#options.key.plan.markupPpm);
    state.tokensPerSecond = this.#tokensPerSecond(this.#elapsedMs());
  }

  #setUsage({
    inputTokens,
    outputTokens,
    cachedTokens,
    reasoningTokens,
    estimated,
    costNano: cost,
  }: CompletionUsed): void {
    Object.assign(this.#state, { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated, costNano: cost });
  }

  async #finish(): Promise<void> {
    try {
      await this.#readAnswer();
      this.#end('finished');
    } catch (error) {
      this.#fail(toSluiceError(error));
    }
  }

  async #readAnswer(): Promise<void> {
    const { kind, key } = this.#options;
    const body = Buffer.concat(this.#answer);
    this.#answer = [];
    if (kind === 'chat') return;
    if (kind === 'embeddings') {
      Object.assign(this.#state, likenessIn(body, this.#state.provider ?? ''));
      return;
    }
    const files = kind === 'image' ? picturesIn(body) : [{ contentType: this.#contentType, bytes: body }];
    const media: LaneMedia[] = [];
    for (const file of files) media.push(await this.#parts.storeFile(key.accountId, file));
    this.#state.media = media;
  }

  #fail(error: SluiceError): void {
    if (this.#cancelled) return this.#end('cancelled');
    this.#state.errorCode = error.code;
    this.#state.errorMessage = error.message;
    this.#end('failed');
  }

  #end(status: LaneStatus): void {
    if (!this.isRunning) return;
    const state = this.#state;
    this.#answer = [];
    state.status = status;
    state.durationMs ??= this.#elapsedMs();
    state.tokensPerSecond = this.#options.kind === 'chat' ? this.#tokensPerSecond(state.durationMs) : null;
    this.#options.onEvent(laneEvent(state, { type: 'ended', lane: { ...state } }));
  }

  /** Output tokens per second since the first token; null if not known. */
  #tokensPerSecond(untilMs: number): number | null {
    const { firstTokenMs, outputTokens } = this.#state;
    const ms = firstTokenMs === null ? 0 : untilMs - firstTokenMs;
    return ms <= 0 || outputTokens === 0 ? null : Math.round((outputTokens / ms) * 100_000) / 100;
  }

  #elapsedMs(): number {
    return Math.round(this.#clock.monotonic() - this.#startedAt);
  }
}
