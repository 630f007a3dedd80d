import type { BatchOutcome, BatchStore, LeasedBatch, ResultKind } from './batch.ts';
import { inputLines, readInputLine } from './input-lines.ts';
import { unrunResult } from './line-result.ts';

const PAGE_ROWS = 100;

/** The results of a batch in the order of its input, a line of JSON each. It holds one page of them at a time. */
export async function* batchResults(
  store: Pick<BatchStore, 'results' | 'failures' | 'readInput'>,
  batch: LeasedBatch,
  outcome: BatchOutcome,
  kind: ResultKind,
): AsyncGenerator<Buffer, void> {
  const done = pages((after) => store.results(batch, after, PAGE_ROWS));
  if (outcome === 'completed' || kind === 'output' || batch.inputBlobId === null) {
    for await (const { result, isSuccess } of done) if (isOf(kind, isSuccess)) yield Buffer.from(`${result}\n`);
    return;
  }
  const failures = pages((after) => store.failures(batch, after, PAGE_ROWS));
  let next = await done.next();
  let failed = await failures.next();
  let line = 0;
  for await (const { bytes } of inputLines(await store.readInput(batch, 0))) {
    if (next.done !== true && next.value.line === line) {
      if (isOf(kind, next.value.isSuccess)) yield Buffer.from(`${next.value.result}\n`);
      next = await done.next();
    } else {
      const { customId } = readInputLine(bytes);
      const lastError = failed.done !== true && failed.value.line === line ? failed.value.message : null;
      if (lastError !== null) failed = await failures.next();
      yield Buffer.from(`${unrunResult(batch.protocol, batch.id, line, customId, outcome, lastError)}\n`);
    }
    line++;
  }
}

function isOf(kind: ResultKind, isSuccess: boolean): boolean {
  return kind === 'all' || isSuccess === (kind === 'output');
}

async function* pages<Row extends { readonly line: number }>(
  read: (afterLine: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row, void> {
  for (let after = -1; ;) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.line;
  }
}
