import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ContentSeal } from '../content-log/content-seal.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ContentBudget } from '../datasets/dataset-reader.ts';
import type { OutputDocument } from './run-output.ts';
import { outputOwner } from './run-lines.ts';
import * as results from './run-results.ts';
import type { OutputRow, ResultLine } from './run-results.ts';
import * as sql from './run-rows.ts';
import type { RunRow } from './run-rows.ts';
import { noFigures, summarize, type ModelFigures, type ModelSummary } from './run-summary.ts';

export interface NamedModel {
  readonly model: string;
  readonly isPriced: boolean;
  /** How its batch ended; null before. */
  readonly outcome: string | null;
}

export interface RunModel extends NamedModel {
  readonly summary: ModelSummary;
}

/** What one model returned. */
export interface OpenedOutput extends Omit<OutputRow, 'content' | 'wrapped_key'> {
  /** Null where it was encrypted under another secret of the server. */
  readonly document: OutputDocument | null;
}

export interface RunResult extends ResultLine {
  /** In the order of the models; null where a model has none. */
  readonly outputs: readonly (OpenedOutput | null)[];
}

export interface ResultFilter {
  readonly onlyFailed: boolean;
  readonly onlyDifferent: boolean;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** Of the items and outputs of a page, before they are compressed; those of one item may be longer. */
const PAGE_BYTES = 1_000_000;

/** Reads runs of an account. Every method also throws SluiceError database_unavailable. */
export class RunReader {
  readonly #database: Pick<Database, 'query'>;
  readonly #seal: Pick<ContentSeal, 'open'>;

  constructor(database: Pick<Database, 'query'>, seal: Pick<ContentSeal, 'open'>) {
    this.#database = database;
    this.#seal = seal;
  }

  /** @throws SluiceError not_found */
  async get(accountId: string, id: string): Promise<RunRow> {
    const [row] = await this.byIds(accountId, [id]);
    if (row === undefined) throw runNotFound();
    return row;
  }

  byIds(accountId: string, ids: readonly string[]): Promise<RunRow[]> {
    const text = `select ${sql.runColumns} from dataset_runs where account_id = $1 and id = any($2::uuid[])`;
    return this.#query<RunRow>(text, [accountId, ids]);
  }

  /** Newest first. @param after the end of the previous page */
  async list(
    accountId: string,
    datasetId: string,
    limit: number,
    after: { readonly at: Date; readonly id: string } | null,
    backwards = false,
  ): Promise<Page<RunRow>> {
    const values = [accountId, datasetId, limit + 1, after?.at ?? null, after?.id ?? null];
    const rows = await this.#query<RunRow>(sql.pageOfRuns(backwards), values);
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** In their order. The caller must have found the run. */
  modelNames(id: string): Promise<NamedModel[]> {
    const text = `
      select model, is_priced as "isPriced", outcome from dataset_run_models where run_id = $1 order by position`;
    return this.#query<NamedModel>(text, [id]);
  }

  /** The same with their figures. */
  async models(id: string): Promise<RunModel[]> {
    const text = `
      select position, model, is_priced as "isPriced", outcome, summary
      from dataset_run_models where run_id = $1 order by position`;
    const models = await this.#query<RunModel & { position: number; summary: ModelSummary | null }>(text, [id]);
    const isOpen = models.some(({ summary }) => summary === null);
    const current = isOpen ? await this.#query<ModelFigures>(summarize, [id, null]) : [];
    const byModel = new Map(current.map((each) => [each.model, each]));
    return models.map(({ position, model, isPriced, outcome, summary }) => {
      return { model, isPriced, outcome, summary: summary ?? byModel.get(position) ?? noFigures };
    });
  }

  /** In the order of the items; a page ends early where its content is long. The caller must have found the run. @param after a line */
  async results(
    accountId: string,
    id: string,
    filter: ResultFilter,
    { limit, after, backwards }: { readonly limit: number; readonly after: number | null; readonly backwards: boolean },
    budget: ContentBudget,
  ): Promise<Page<RunResult>> {
    const values = [id, limit, after, filter.onlyFailed, filter.onlyDifferent, PAGE_BYTES];
    const lines = await this.#query<ResultLine & { more: boolean }>(results.pageOfLines(backwards), values);
    budget.spend(lines.reduce((sum, { output_bytes: bytes }) => sum + bytes, 0));
    const outputs = await this.#query<OutputRow>(results.outputsOf, [id, lines.map(({ line }) => line)]);
    const models = await this.modelNames(id);
    const byLine = Map.groupBy(outputs, ({ line }) => line);
    const rows = lines.map((each): RunResult => {
      const opened = (byLine.get(each.line) ?? []).map((row) => this.#opened(accountId, id, row));
      const ofModel = (model: number): OpenedOutput | null => opened.find((row) => row.model === model) ?? null;
      return { ...each, outputs: models.map((_, model) => ofModel(model)) };
    });
    return { rows, hasMore: lines.at(-1)?.more ?? false };
  }

  #opened(accountId: string, id: string, { content, wrapped_key: wrappedKey, ...row }: OutputRow): OpenedOutput {
    const eventId = outputOwner(id, row.line, row.model);
    const isStored = content !== null && wrappedKey !== null;
    const opened = isStored ? this.#seal.open({ bytes: content, wrappedKey }, { accountId, eventId }) : null;
    // Written by `RunLines`.
    return { ...row, document: opened === null ? null : (JSON.parse(opened.toString()) as OutputDocument) };
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return mapDatabaseErrors(() => this.#database.query<Row>(text, values));
  }
}

export function runNotFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'dataset run' } });
}
