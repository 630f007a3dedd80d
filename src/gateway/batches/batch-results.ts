import type { BatchOutcome, BatchStore, LeasedBatch, LineResult, ResultKind } from './batch.ts';
import { inputLines, readInputLine } from './input-lines.ts';
import { unrunResult } from './line-result.ts';

const PAGE_ROWS = 100;

/** The results of a batch in the order of its input, a line of JSON each. It holds one page of them at a time. */
export async function* batchResults(
  store: Pick<BatchStore, 'results' | 'readInput'>,
  batch: LeasedBatch,
  outcome: BatchOutcome,
  kind: ResultKind,
): AsyncGenerator<Buffer, void> {
  const done = storedResults(store, batch);
  if (outcome === 'completed' || kind === 'output' || batch.inputBlobId === null) {
    for await (const { result, isSuccess } of done) if (isOf(kind, isSuccess)) yield Buffer.from(`${result}\n`);
    return;
  }
  let next = await done.next();
  let line = 0;
  for await (const { bytes } of inputLines(await store.readInput(batch, 0))) {
    if (next.done !== true && next.value.line === line) {
      if (isOf(kind, next.value.isSuccess)) yield Buffer.from(`${next.value.result}\n`);
      next = await done.next();
    } else {
      const { customId } = readInputLine(bytes);
      yield Buffer.from(`${unrunResult(batch.protocol, batch.id, line, customId, outcome)}\n`);
    }
    line++;
  }
}

function isOf(kind: ResultKind, isSuccess: boolean): boolean {
  return kind === 'all' || isSuccess === (kind === 'output');
}

async function* storedResults(
  store: Pick<BatchStore, 'results'>,
  batch: LeasedBatch,
): AsyncGenerator<LineResult, void> {
  for (let after = -1; ;) {
    const page = await store.results(batch, after, PAGE_ROWS);
    const last = page.at(-1);
    if (last === undefined) return;
    yield* page;
    after = last.line;
  }
}
