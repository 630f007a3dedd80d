import type { Waiter } from './batch-lane.ts';
import type { BatchPass, LeasedBatch } from './batch.ts';
import { batchResults } from './batch-results.ts';
import { CheckedInput } from './checked-input.ts';
import { inputLines, readChunk, type InputLine } from './input-lines.ts';
import type { ProviderBatchDependencies } from './provider/dependencies.ts';
import { LineCollector } from './provider/line-collector.ts';
import { collecting, delivering, running, type ChunkHandler } from './provider/chunk-handlers.ts';
import { ProviderProgress, waitForProviders } from './provider/provider-progress.ts';
import { releaseDelivered } from './provider/provider-reservation.ts';

/** A delivery that the server has no room for is repeated after this. */
const DELIVERY_RETRY_MS = 1_000;

/** One process's turn at a batch: passes through its lines in chunks, until all are done or the turn is over. */
export class BatchTurn {
  readonly #dependencies: ProviderBatchDependencies;
  readonly #waiter: Waiter;
  /** Over when the turn is, also for what a batch that ends still does. */
  readonly #turn: Waiter;
  readonly #aborting = new AbortController();
  #batch: LeasedBatch;
  #isCancelled: boolean;
  #isLost = false;

  /** @param waiter over when the turn is */
  constructor(dependencies: ProviderBatchDependencies, batch: LeasedBatch, waiter: Waiter) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#isCancelled = batch.isCancelled;
    const isStopped = (): boolean => waiter.isOver || this.#isLost;
    const isOver = (): boolean => isStopped() || this.#isEnding();
    this.#turn = {
      get isOver() {
        return isStopped();
      },
    };
    this.#waiter = {
      get isOver() {
        return isOver();
      },
    };
  }

  get batch(): LeasedBatch {
    return this.#batch;
  }

  cancel(): void {
    this.#isCancelled = true;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Another process holds the lease: nothing more can be stored. */
  lose(): void {
    this.#isLost = true;
    this.stop();
  }

  /** Aborts calls of providers' batch APIs, which are repeated later. */
  stop(): void {
    this.#aborting.abort();
  }

  /** Runs lines, and ends the batch after the last one. */
  async run(): Promise<void> {
    const { store } = this.#dependencies;
    if (this.#batch.status === 'validating' && !this.#isEnding()) {
      const validated = await store.validate(this.#batch, (file) => new CheckedInput(file, this.#batch.endpoint));
      if (validated === null) return;
      this.#batch = validated;
    }
    if (this.#batch.status === 'in_progress' && !(await this.#runPasses())) return;
    if (this.#turn.isOver) return;
    const batch = this.#batch;
    const isDone = batch.status !== 'validating' && (await store.isDone(batch));
    const outcome = isDone ? 'completed' : this.#isCancelled ? 'cancelled' : 'expired';
    const isEnded = await store.finish(batch, outcome, (kind) => batchResults(store, batch, outcome, kind));
    if (isEnded) this.#dependencies.pipeline.dependencies.telemetry?.batchEnded({ ...batch, outcome });
  }

  /** No more lines are started. */
  #isEnding(): boolean {
    return this.#isCancelled || this.#dependencies.clock.now() >= this.#batch.expiresAt;
  }

  /** @returns whether the batch has ended */
  async #runPasses(): Promise<boolean> {
    const { providerBatches, store } = this.#dependencies;
    if (this.#batch.pass === 'collect') {
      const collected = await providerBatches.list(this.#batch);
      const collector = new LineCollector(this.#dependencies, this.#batch, this.#waiter, collected);
      await this.#eachChunk(this.#waiter, () => collecting(collector));
      if (this.#turn.isOver || !(await this.#startPass('run'))) return false;
    }
    const { signal } = this.#aborting;
    const progress = new ProviderProgress(this.#dependencies, this.#batch, signal, () => this.#isEnding());
    const haveEnded = await progress.advance();
    if (this.#batch.pass === 'run')
      await this.#eachChunk(this.#waiter, () => running(this.#dependencies, this.#batch, this.#waiter));
    if (this.#turn.isOver) return false;
    const batches = await providerBatches.list(this.#batch);
    if (batches.length === 0) return true;
    if (!haveEnded) {
      await store.waitFor(this.#batch, waitForProviders(batches, this.#dependencies.clock.now()));
      return false;
    }
    if (this.#batch.pass !== 'deliver' && !(await this.#startPass('deliver'))) return false;
    const isDelivered = await this.#eachChunk(this.#turn, () =>
      delivering(this.#dependencies, this.#batch, this.#turn, batches),
    );
    if (isDelivered) await releaseDelivered(this.#dependencies, this.#batch, batches);
    else if (!this.#turn.isOver) await store.waitFor(this.#batch, DELIVERY_RETRY_MS);
    return isDelivered;
  }

  async #startPass(pass: BatchPass): Promise<boolean> {
    const started = await this.#dependencies.store.startPass(this.#batch, pass);
    if (started === null) this.lose();
    else this.#batch = started;
    return started !== null;
  }

  /** @returns whether all lines are handled */
  async #eachChunk(waiter: Waiter, handlerOf: () => ChunkHandler): Promise<boolean> {
    const { store } = this.#dependencies;
    const { inputOffset, nextLine, total } = this.#batch;
    if (nextLine >= total) return true;
    const input = inputLines(this.#input(inputOffset), inputOffset);
    try {
      while (!waiter.isOver && this.#batch.nextLine < total) {
        const { lines, end } = await readChunk(input, this.#batch);
        if (!(await this.#handleChunk(lines, handlerOf()))) return false;
        const linesBeganAt = await store.advance(this.#batch, end);
        if (linesBeganAt === null) {
          this.lose();
          return false;
        }
        const position = { inputOffset: end.offset, nextLine: end.line };
        this.#batch = { ...this.#batch, ...position, linesBeganAt, isFresh: true };
      }
      return this.#batch.nextLine >= total;
    } finally {
      await input.return();
    }
  }

  /** Opened when it is read: the file of a generator that never starts would stay open. */
  async *#input(offset: number): AsyncGenerator<Uint8Array, void> {
    yield* await this.#dependencies.store.readInput(this.#batch, offset);
  }

  /** @returns whether all of its lines are done */
  async #handleChunk(lines: readonly InputLine[], { handle, stored }: ChunkHandler): Promise<boolean> {
    const { store } = this.#dependencies;
    const { nextLine } = this.#batch;
    const rows = await store.lines(this.#batch, nextLine, nextLine + lines.length);
    const byLine = new Map(rows.map((each) => [each.line, each]));
    const done = await Promise.all(
      lines.map((input, index) => handle(byLine.get(nextLine + index), nextLine + index, input)),
    );
    const isStored = await stored();
    if (!isStored) this.lose();
    return isStored && done.every(Boolean);
  }
}
