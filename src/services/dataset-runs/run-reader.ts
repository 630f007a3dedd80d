import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ContentSeal } from '../content-log/content-seal.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ContentBudget } from '../datasets/dataset-reader.ts';
import { OpenRunFigures } from './figures/open-run-figures.ts';
import type { OutputDocument } from './run-output.ts';
import { outputOwner } from './run-lines.ts';
import * as results from './run-results.ts';
import type { OutputRow, ResultLine } from './run-results.ts';
import * as sql from './run-rows.ts';
import type { RunRow } from './run-rows.ts';
import { noFigures, summarize, type ModelFigures, type ModelSummary } from './figures/run-summary.ts';

export interface NamedModel {
  readonly model: string;
  readonly isPriced: boolean;
  /** How its batch ended; null before. */
  readonly outcome: string | null;
  /** What judges its outputs; null without a judge. */
  readonly judge: { readonly isPriced: boolean; readonly outcome: string | null } | null;
}

/** The figures of the judge of a model. */
export interface RunJudge {
  readonly isPriced: boolean;
  readonly waitingFor: string | null;
  /** Its completed requests are scores. */
  readonly summary: ModelSummary;
}

export interface RunModel extends Omit<NamedModel, 'judge'> {
  readonly runId: string;
  readonly judge: RunJudge | null;
  /** The code of the error that requests wait for; null where none does. */
  readonly waitingFor: string | null;
  readonly summary: ModelSummary;
  /** Over the items that all models completed; null before the end of the run. */
  readonly common: ModelSummary | null;
}

/** What one model returned. */
export interface OpenedOutput extends Omit<OutputRow, 'content' | 'wrapped_key'> {
  /** Null where it was not read, or was encrypted under another secret of the server. */
  readonly document: OutputDocument | null;
  /** Whether what was read could be decrypted. */
  readonly isReadable: boolean;
  /** What the judge returned for it; null without one. */
  readonly judgement: OpenedOutput | null;
}

export interface RunResult extends ResultLine {
  /** In the order of the models; null where a model has none. */
  readonly outputs: readonly (OpenedOutput | null)[];
}

export interface ResultFilter {
  readonly onlyFailed: boolean;
  readonly onlyDifferent: boolean;
}

/** What is read of results. */
export interface ResultReading {
  /** Whether outputs are decrypted. */
  readonly withOutputs: boolean;
  /** Whether a page is limited by the content of its items, too, which the caller reads. */
  readonly withItems: boolean;
  readonly budget: ContentBudget;
}

interface ModelRow extends Omit<RunModel, 'judge' | 'summary'> {
  readonly position: number;
  readonly judges: number | null;
  readonly summary: ModelSummary | null;
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
  readonly #openFigures: OpenRunFigures;

  constructor(
    database: Pick<Database, 'query'>,
    seal: Pick<ContentSeal, 'open'>,
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    this.#database = database;
    this.#seal = seal;
    this.#openFigures = new OpenRunFigures((ids) => this.#query<ModelFigures>(summarize, [ids, null]), clock);
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

  /** Newest first. @param datasetId null for all runs of the account @param after the end of the previous page */
  async list(
    accountId: string,
    datasetId: string | null,
    limit: number,
    after: { readonly at: Date; readonly id: string } | null,
    backwards = false,
  ): Promise<Page<RunRow>> {
    const values = [accountId, datasetId, limit + 1, after?.at ?? null, after?.id ?? null];
    const rows = await this.#query<RunRow>(sql.pageOfRuns(backwards, datasetId !== null), values);
    return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
  }

  /** In their order. The caller must have found the run. */
  modelNames(id: string): Promise<NamedModel[]> {
    const text = `
      select m.model, m.is_priced as "isPriced", m.outcome,
        case when j.position is not null then json_build_object('isPriced', j.is_priced, 'outcome', j.outcome) end as judge
      from dataset_run_models m left join dataset_run_models j on j.run_id = m.run_id and j.judges = m.position
      where m.run_id = $1 and m.judges is null order by m.position`;
    return this.#query<NamedModel>(text, [id]);
  }

  /** The same with their figures, of several runs. Those of a run in progress may be a few seconds old. */
  async models(ids: readonly string[]): Promise<RunModel[]> {
    const text = `
      select run_id as "runId", position, judges, model, is_priced as "isPriced", outcome, summary, common,
        case when outcome is null then waiting_for end as "waitingFor"
      from dataset_run_models where run_id = any($1::uuid[]) order by run_id, position`;
    const rows = await this.#query<ModelRow>(text, [ids]);
    const open = new Set(rows.flatMap(({ runId, summary }) => (summary === null ? [runId] : [])));
    const current = await this.#openFigures.of([...open]);
    const byModel = new Map(current.map((each) => [`${each.runId} ${each.model}`, each]));
    const withFigures = rows.map((row) => {
      return { ...row, summary: row.summary ?? byModel.get(`${row.runId} ${row.position}`) ?? noFigures };
    });
    const judges = new Map(withFigures.map((row) => [`${row.runId} ${row.judges}`, row]));
    return withFigures
      .filter((row) => row.judges === null)
      .map((model) => {
        const judge = judges.get(`${model.runId} ${model.position}`);
        return { ...model, judge: judge === undefined ? null : judgeOf(judge) };
      });
  }

  /** In the order of the items; a page ends early where the content that is read is long. The caller must have found the run. @param after a line */
  async results(
    accountId: string,
    id: string,
    filter: ResultFilter,
    { limit, after, backwards }: { readonly limit: number; readonly after: number | null; readonly backwards: boolean },
    { withOutputs, withItems, budget }: ResultReading,
  ): Promise<Page<RunResult>> {
    const maxBytes = withOutputs || withItems ? PAGE_BYTES : Number.MAX_SAFE_INTEGER;
    const values = [id, limit, after, filter.onlyFailed, filter.onlyDifferent, maxBytes];
    const lines = await this.#query<ResultLine & { more: boolean }>(results.pageOfLines(backwards), values);
    if (withOutputs) budget.spend(lines.reduce((sum, { output_bytes: bytes }) => sum + bytes, 0));
    const outputs = await this.#query<OutputRow>(results.outputsOf(withOutputs), [id, lines.map(({ line }) => line)]);
    const models = await this.modelNames(id);
    const byLine = Map.groupBy(outputs, ({ line }) => line);
    const rows = lines.map((each): RunResult => {
      const opened = (byLine.get(each.line) ?? []).map((row) => this.#opened(accountId, id, row));
      const at = (position: number): OpenedOutput | null => opened.find((row) => row.model === position) ?? null;
      const ofModel = (model: number): OpenedOutput | null => {
        const output = at(model);
        return output === null ? null : { ...output, judgement: at(models.length + model) };
      };
      return { ...each, outputs: models.map((_, model) => ofModel(model)) };
    });
    return { rows, hasMore: lines.at(-1)?.more ?? false };
  }

  #opened(accountId: string, id: string, { content, wrapped_key: wrappedKey, ...row }: OutputRow): OpenedOutput {
    const eventId = outputOwner(id, row.line, row.model);
    const isStored = content !== null && wrappedKey !== null;
    const opened = isStored ? this.#seal.open({ bytes: content, wrappedKey }, { accountId, eventId }) : null;
    // Written by `RunLines`.
    const document = opened === null ? null : (JSON.parse(opened.toString()) as OutputDocument);
    return { ...row, document, isReadable: !isStored || document !== null, judgement: null };
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return mapDatabaseErrors(() => this.#database.query<Row>(text, values));
  }
}

function judgeOf({ isPriced, waitingFor, summary }: RunJudge): RunJudge {
  return { isPriced, waitingFor, summary };
}

export function runNotFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'dataset run' } });
}
