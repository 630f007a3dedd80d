import type { OpenedOutput, RunReader, RunResult } from './run-reader.ts';
import type { RunRow } from './run-rows.ts';

const PAGE_RUNS = 100;
const PAGE_ITEMS = 100;
const all = { onlyFailed: false, onlyDifferent: false };
/** A page is bounded by itself, and one is in memory at a time. */
const reading = { withOutputs: true, withItems: false, budget: { spend: () => undefined } };

/** Exports the outputs of runs. One page of results is in memory at a time. */
export class RunExport {
  readonly #runs: Pick<RunReader, 'list' | 'modelNames' | 'results'>;

  constructor(runs: Pick<RunReader, 'list' | 'modelNames' | 'results'>) {
    this.#runs = runs;
  }

  /**
   * The outputs of all runs, for the export of an account.
   * @param onUnreadable called for each output that cannot be decrypted; its line has an `error`
   */
  async *account(accountId: string, onUnreadable: () => void): AsyncGenerator<Buffer> {
    let after: { readonly at: Date; readonly id: string } | null = null;
    for (;;) {
      const page: Awaited<ReturnType<RunReader['list']>> = await this.#runs.list(accountId, null, PAGE_RUNS, after);
      for (const run of page.rows) yield* this.#run(accountId, run, onUnreadable);
      const last = page.rows.at(-1);
      if (last === undefined || !page.hasMore) return;
      after = { at: new Date(Number(last.created_ms)), id: last.id };
    }
  }

  async *#run(accountId: string, run: RunRow, onUnreadable: () => void): AsyncGenerator<Buffer> {
    const models = await this.#runs.modelNames(run.id);
    let after: number | null = null;
    for (;;) {
      const part = { limit: PAGE_ITEMS, after, backwards: false };
      const page: Awaited<ReturnType<RunReader['results']>> = await this.#runs.results(
        accountId,
        run.id,
        all,
        part,
        reading,
      );
      const lines = page.rows.flatMap((result) =>
        result.outputs.flatMap((output, at) => {
          if (output === null || output.status === null) return [];
          if (!output.isReadable) onUnreadable();
          return [lineOf(run, models[at]?.model ?? null, result, output)];
        }),
      );
      if (lines.length > 0) yield Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const last = page.rows.at(-1);
      if (last === undefined || !page.hasMore) return;
      after = last.line;
    }
  }
}

function lineOf(run: RunRow, model: string | null, result: RunResult, output: OpenedOutput): object {
  const { message = null, errorMessage = null } = output.document ?? {};
  return {
    type: 'dataset_run_output',
    dataset_run_id: run.id,
    item_id: result.item_id,
    position: result.position,
    model,
    status: output.status,
    ...(output.isReadable ? { output: message, error_message: errorMessage } : { error: 'cannot be decrypted' }),
    error_code: output.error_code,
    scores: Object.fromEntries(run.scorers.map((name, at) => [name, output.scores?.[at] ?? null])),
    event_id: output.event_id,
    ...(output.judgement !== null && { judgement: judgementOf(output.judgement) }),
  };
}

function judgementOf({ document, isReadable, error_code: code, event_id: eventId }: OpenedOutput): object {
  const { judgement = null, errorMessage = null } = document ?? {};
  const content = isReadable
    ? { score: judgement?.score ?? null, reason: judgement?.reason ?? null, error_message: errorMessage }
    : { error: 'cannot be decrypted' };
  return { ...content, error_code: code, event_id: eventId };
}
