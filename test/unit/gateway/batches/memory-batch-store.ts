import type {
  BatchOutcome,
  BatchPass,
  BatchStore,
  InputPosition,
  LeasedBatch,
  LineFailure,
  LineResult,
  LineRetry,
  ResultKind,
  StoredLine,
} from '../../../../src/gateway/batches/batch.ts';
import type { ProviderBatch, ProviderBatchStore } from '../../../../src/gateway/batches/provider/provider-batch.ts';
import type { HttpAnswer } from '../../../../src/providers/shared/batches/batch-service.ts';
import { inputLineOf } from '../../../../src/gateway/batches/input-lines.ts';

/** One batch in memory, as its rows and its files would have it. */
export class MemoryBatchStore implements BatchStore {
  batch: LeasedBatch;
  outcome: BatchOutcome | null = null;
  output: readonly string[] = [];
  /** Whether a turn may end the batch. */
  isHeld = true;
  readonly attempts = new Map<number, StoredLine>();
  readonly waits: string[] = [];
  readonly lastErrors = new Map<number, string>();
  onRetry: () => void = () => undefined;
  /** Ids of events that are recorded as failures. */
  readonly failed = new Set<string>();
  readonly done = new Map<number, LineResult>();
  readAnswer: () => Promise<HttpAnswer | null> = async () => null;
  /** Inputs that are opened and not closed. */
  openInputs = 0;
  readonly #input: Buffer;

  constructor(given: Partial<LeasedBatch>, bodies: readonly Readonly<Record<string, unknown>>[]) {
    this.#input = Buffer.from(bodies.map((body, line) => inputLineOf({ customId: `line-${line}`, body })).join(''));
    this.batch = {
      id: '01936f00-0000-7000-8000-000000000001',
      token: 1,
      accountId: '00000000-0000-4000-8000-0000000000aa',
      apiKeyId: '00000000-0000-4000-8000-000000000001',
      memberId: null,
      isBySession: false,
      protocol: 'openai',
      endpoint: '/v1/chat/completions',
      beta: null,
      status: 'in_progress',
      inputFileId: null,
      inputBlobId: 'input',
      outputSeconds: null,
      total: bodies.length,
      isCancelled: false,
      expiresAt: Date.now() + 86_400_000,
      inputOffset: 0,
      nextLine: 0,
      linesBeganAt: Date.now(),
      isFresh: true,
      pass: 'run',
      ...given,
    };
  }

  async claim(): Promise<null> {
    return null;
  }

  async renew(): Promise<{ isCancelled: boolean }> {
    return { isCancelled: false };
  }

  async release(): Promise<void> {}

  async validate(): Promise<null> {
    return null;
  }

  async readInput(_batch: LeasedBatch, offset: number): Promise<AsyncIterable<Uint8Array>> {
    const bytes = this.#input.subarray(offset);
    this.openInputs++;
    const close = (): void => void this.openInputs--;
    return (async function* () {
      try {
        yield bytes;
      } finally {
        close();
      }
    })();
  }

  async lines(_batch: LeasedBatch, first: number, end: number): Promise<readonly StoredLine[]> {
    const stored = new Map(this.attempts);
    for (const line of this.done.keys()) stored.set(line, { ...(stored.get(line) ?? unknownLine(line)), isDone: true });
    return [...stored.values()].filter(({ line }) => line >= first && line < end);
  }

  answer(): Promise<HttpAnswer | null> {
    return this.readAnswer();
  }

  async results(_batch: LeasedBatch, afterLine: number, limit: number): Promise<readonly LineResult[]> {
    const sorted = [...this.done.values()].toSorted((a, b) => a.line - b.line);
    return sorted.filter(({ line }) => line > afterLine).slice(0, limit);
  }

  async retry(_batch: LeasedBatch, { lastError, ...next }: LineRetry): Promise<boolean> {
    this.attempts.set(next.line, { ...unknownLine(next.line), ...next });
    if (lastError !== null) this.lastErrors.set(next.line, lastError);
    this.onRetry();
    return true;
  }

  async noteWait(_batch: LeasedBatch, code: string): Promise<void> {
    this.waits.push(code);
  }

  async failures(_batch: LeasedBatch, afterLine: number, limit: number): Promise<readonly LineFailure[]> {
    const open = [...this.lastErrors].filter(([line]) => line > afterLine && !this.done.has(line));
    return open.map(([line, message]) => ({ line, message })).slice(0, limit);
  }

  async hasFailed(_batch: unknown, eventId: string): Promise<boolean> {
    return this.failed.has(eventId);
  }

  async record(_batch: LeasedBatch, results: readonly LineResult[]): Promise<boolean> {
    for (const result of results) if (!this.done.has(result.line)) this.done.set(result.line, result);
    return true;
  }

  async advance(_batch: LeasedBatch, { offset, line }: InputPosition): Promise<number> {
    const linesBeganAt = Date.now();
    this.batch = { ...this.batch, inputOffset: offset, nextLine: line, linesBeganAt };
    return linesBeganAt;
  }

  async startPass(batch: LeasedBatch, pass: BatchPass): Promise<LeasedBatch> {
    this.batch = { ...batch, pass, inputOffset: 0, nextLine: 0 };
    return this.batch;
  }

  async isDone({ total }: LeasedBatch): Promise<boolean> {
    return this.done.size >= total;
  }

  async waitFor(): Promise<void> {}

  async finish(
    _batch: LeasedBatch,
    outcome: BatchOutcome,
    output: (kind: ResultKind) => AsyncIterable<Uint8Array>,
  ): Promise<boolean> {
    const lines: string[] = [];
    for await (const line of output('all')) lines.push(Buffer.from(line).toString());
    this.outcome = outcome;
    this.output = lines;
    return this.isHeld;
  }
}

export function unknownLine(line: number): StoredLine {
  return {
    line,
    attempt: 0,
    beganAt: null,
    failures: 0,
    retryAt: null,
    isDone: false,
    providerBatchId: null,
    answerBytes: null,
  };
}

/** One whose responses are stored. */
export const endedBatch: ProviderBatch = {
  id: '01936f00-0000-7000-8000-000000000002',
  connectionId: 'openai',
  model: 'openai/m',
  upstreamModel: 'm',
  kind: '/v1/chat/completions',
  stage: 'ended',
  total: 1,
  bytes: 10,
  reservedNano: 0n,
  uploadId: null,
  externalId: null,
  creatingSince: null,
  isCancelled: false,
  counts: { succeeded: 0, failed: 0 },
  createdAt: 0,
};

/** A batch whose lines Sluice runs. */
export const noProviderBatches: ProviderBatchStore = {
  list: async () => [],
  collect: () => Promise.reject(new Error('no batches of providers here')),
  change: () => Promise.reject(new Error('no batches of providers here')),
  async *parts() {},
  respond: () => Promise.reject(new Error('no batches of providers here')),
  respondToAll: () => Promise.reject(new Error('no batches of providers here')),
};
