import { systemClock, type Clock } from '../../calendar/clock.ts';
import { toSluiceError, type SluiceError } from '../../errors/index.ts';
import type { CompletionUpdate } from '../../live/events.ts';
import { newEventIds, type EventIds } from '../event-id.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { ModelDirectory } from '../keys/model-directory.ts';
import type { ClientResponse } from '../client-response.ts';
import type { Pipeline } from '../pipeline.ts';
import type { OperationSpan } from '../telemetry/request-span.ts';
import { readLaneResponse, type MediaFile } from './lane-answer.ts';
import { laneEvent, type LaneEvent } from './lane-event.ts';
import { LaneOutput, tokensPerSecond } from './lane-output.ts';
import { laneBody, openLane } from './lane-request.ts';
import { newLane, type ComparisonKind, type ComparisonQuestion, type LaneMedia, type LaneState } from './lane-state.ts';
import type { OpenRequest } from '../call.ts';

/** For a buffered response: images in base64, or audio. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

export interface LaneDependencies {
  readonly pipeline: Pipeline;
  readonly models: Pick<ModelDirectory, 'find'>;
  readonly media: MediaStore;
  /** Stores a file until the comparison is deleted. */
  readonly storeFile: (accountId: string, file: MediaFile) => Promise<LaneMedia>;
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
  readonly #dependencies: LaneDependencies;
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
  readonly #output: LaneOutput;
  #cancelled = false;

  constructor(dependencies: LaneDependencies, options: LaneOptions) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    this.#options = options;
    const { kind, question, position, model } = options;
    this.#body = laneBody(kind, question, model);
    this.#state = newLane(position, model, this.#ids.requestId);
    this.#output = new LaneOutput(this.#state, this.#body.length, options.key.plan.markupPpm);
  }

  /** A copy of the current state. */
  get state(): LaneState {
    return { ...this.#state };
  }

  get isRunning(): boolean {
    return this.#state.status === 'running';
  }

  /** @param comparison the span of all lanes; absent where telemetry is off */
  start(comparison?: OperationSpan): void {
    const { pipeline, media } = this.#dependencies;
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
      span: comparison?.startChild(),
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
        this.#output.setUsage(update);
        this.#state.finishReason = update.finishReason;
        this.#state.firstTokenMs = update.firstTokenMs === null ? null : Math.round(update.firstTokenMs);
        this.#state.durationMs = Math.round(update.durationMs);
        return;
      case 'failed':
        if (update.used) this.#output.setUsage(update.used);
        if (update.aborted || this.#cancelled) this.#end('cancelled');
        return;
      default:
        this.#output.add(update, this.#elapsedMs());
        this.#options.onEvent(laneEvent(this.#state, update));
    }
  }

  /** May be called again, where another provider takes over. */
  #onStarted(update: Extract<CompletionUpdate, { readonly type: 'started' }>): void {
    const { key } = this.#options;
    this.#state.servedModel = update.model;
    this.#state.provider = update.provider;
    const pricing = this.#dependencies.models.find(update.model, key.accountId)?.pricing ?? null;
    this.#output.start(pricing, this.#elapsedMs());
    this.#options.onEvent(laneEvent(this.#state, update));
  }

  async #finish(): Promise<void> {
    try {
      const body = Buffer.concat(this.#answer);
      this.#answer = [];
      const { kind, key } = this.#options;
      const storeFile = (file: MediaFile): Promise<LaneMedia> => this.#dependencies.storeFile(key.accountId, file);
      const given = { kind, body, contentType: this.#contentType, provider: this.#state.provider ?? '' };
      Object.assign(this.#state, await readLaneResponse(given, storeFile));
      this.#end('finished');
    } catch (error) {
      this.#fail(toSluiceError(error));
    }
  }

  #fail(error: SluiceError): void {
    if (this.#cancelled) return this.#end('cancelled');
    this.#state.errorCode = error.code;
    this.#state.errorMessage = error.message;
    this.#end('failed');
  }

  #end(status: LaneState['status']): void {
    if (!this.isRunning) return;
    const state = this.#state;
    this.#answer = [];
    state.status = status;
    state.durationMs ??= this.#elapsedMs();
    state.tokensPerSecond = this.#options.kind === 'chat' ? tokensPerSecond(state, state.durationMs) : null;
    this.#options.onEvent(laneEvent(state, { type: 'ended', lane: { ...state } }));
  }

  #elapsedMs(): number {
    return Math.round(this.#clock.monotonic() - this.#startedAt);
  }
}
