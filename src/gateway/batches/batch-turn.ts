import type { Waiter } from './batch-lane.ts';
import type { InputPosition, LeasedBatch, StoredLine } from './batch.ts';
import { CheckedInput } from './checked-input.ts';
import { inputLines, readInputLine, type InputLine } from './input-lines.ts';
import { LineRecorder } from './line-recorder.ts';
import { LineRun } from './line-run.ts';
import type { BatchTurnDependencies } from './turn-dependencies.ts';
import { batchResults } from './batch-results.ts';

/** Lines that are read at once; after all of them are done, the position is stored. */
const CHUNK = { lines: 64, bytes: 8 * 1024 * 1024 };

/** Lines to run together. */
interface Chunk {
  readonly lines: readonly InputLine[];
  readonly end: InputPosition;
}

/** One process's turn at a batch: runs its lines in chunks, until all are done or the turn is over. */
export class BatchTurn {
  readonly #dependencies: BatchTurnDependencies;
  readonly #waiter: Waiter;
  readonly #isStopped: () => boolean;
  #batch: LeasedBatch;
  #isCancelled: boolean;
  #isLost = false;

  /** @param waiter over when the turn is */
  constructor(dependencies: BatchTurnDependencies, batch: LeasedBatch, waiter: Waiter) {
    this.#dependencies = dependencies;
    this.#batch = batch;
    this.#isCancelled = batch.isCancelled;
    this.#isStopped = () => waiter.isOver || this.#isLost;
    const isOver = (): boolean => this.#isStopped() || this.#isEnding();
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
  }

  /** Runs lines, and ends the batch after the last one. */
  async run(): Promise<void> {
    const { store } = this.#dependencies;
    if (this.#batch.status === 'validating' && !this.#isEnding()) {
      const validated = await store.validate(this.#batch, (file) => new CheckedInput(file, this.#batch.endpoint));
      if (validated === null) return;
      this.#batch = validated;
    }
    if (this.#batch.status === 'in_progress') await this.#runLines();
    if (this.#isStopped()) return;
    const isDone = this.#batch.nextLine >= this.#batch.total && this.#batch.status !== 'validating';
    const outcome = isDone ? 'completed' : this.#isCancelled ? 'cancelled' : 'expired';
    const batch = this.#batch;
    await store.finish(batch, outcome, (kind) => batchResults(store, batch, outcome, kind));
  }

  /** No more lines are started. */
  #isEnding(): boolean {
    return this.#isCancelled || this.#dependencies.clock.now() >= this.#batch.expiresAt;
  }

  async #runLines(): Promise<void> {
    const { store } = this.#dependencies;
    const { inputOffset, nextLine, total } = this.#batch;
    if (nextLine >= total) return;
    const input = inputLines(await store.readInput(this.#batch, inputOffset), inputOffset);
    try {
      while (!this.#waiter.isOver && this.#batch.nextLine < this.#batch.total) {
        const chunk = await readChunk(input, this.#batch);
        if (!(await this.#runChunk(chunk))) return;
        const linesBeganAt = await store.advance(this.#batch, chunk.end);
        if (linesBeganAt === null) return this.lose();
        this.#batch = {
          ...this.#batch,
          inputOffset: chunk.end.offset,
          nextLine: chunk.end.line,
          linesBeganAt,
          isFresh: true,
        };
      }
    } finally {
      await input.return();
    }
  }

  /** @returns whether all of its lines are done */
  async #runChunk({ lines, end }: Chunk): Promise<boolean> {
    const { store } = this.#dependencies;
    const batch = this.#batch;
    const stored = new Map((await store.lines(batch, batch.nextLine, end.line)).map((each) => [each.line, each]));
    const recorder = new LineRecorder(this.#dependencies, batch);
    const run = new LineRun(this.#dependencies, batch, this.#waiter, recorder);
    const runs = lines.map(async ({ bytes }, index) => {
      const line = batch.nextLine + index;
      const known: StoredLine | undefined = stored.get(line);
      return known?.isDone === true || run.run(line, readInputLine(bytes), known);
    });
    const done = await Promise.all(runs);
    const isStored = await recorder.stored();
    if (!isStored) this.lose();
    return isStored && done.every(Boolean);
  }
}

/** @throws Error if the input is shorter than the number of its lines */
async function readChunk(input: AsyncGenerator<InputLine, void>, { nextLine, total }: LeasedBatch): Promise<Chunk> {
  const lines: InputLine[] = [];
  let bytes = 0;
  while (lines.length < CHUNK.lines && bytes < CHUNK.bytes && nextLine + lines.length < total) {
    const next = await input.next();
    if (next.done === true) throw new Error('The input of the batch is incomplete.');
    lines.push(next.value);
    bytes += next.value.bytes.length;
  }
  return { lines, end: { offset: lines.at(-1)?.end ?? 0, line: nextLine + lines.length } };
}
