import { createHmac } from 'node:crypto';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql.ts';
import { storableText } from '../../database/storable-text.ts';
import type { LeasedBatch, LineResult } from '../../gateway/batches/batch.ts';
import { deriveKey } from '../../secrets/derived-keys.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import type { ContentSeal } from '../content-log/content-seal.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { ChatMessage, ItemDocument } from '../datasets/dataset-document.ts';
import { textOfMessage } from '../datasets/message-text.ts';
import { itemRequest } from './item-request.ts';
import { judgeRequest } from './judge/judge-request.ts';
import { judgedPage, setScore } from './judge/judge-rows.ts';
import type { JudgeSettings } from './judge/judge-settings.ts';
import { readJudgement, type JudgeOutput } from './judge/judgement.ts';
import { meterPage } from './figures/meter-outputs.ts';
import { readOutput, type OutputDocument } from './run-output.ts';
import * as sql from './run-rows.ts';
import { scoresOf, type ScorerName } from './scorers.ts';

/** A batch that runs the items of a dataset against one model. */
export interface RunBatch extends LeasedBatch {
  readonly datasetRunId: string;
  readonly datasetRunModel: number;
}

export function isRunBatch(batch: LeasedBatch): batch is RunBatch {
  return typeof batch.datasetRunId === 'string' && typeof batch.datasetRunModel === 'number';
}

export interface RunLinesDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly seal: Pick<ContentSeal, 'seal' | 'open'>;
  readonly masterKeys: MasterKeys;
  /** A request as a line of a batch's input. */
  readonly inputLine: (request: { customId: string; body: Readonly<Record<string, unknown>> }) => string;
  /** The event of a request; null for other text. */
  readonly eventIdOf: (requestId: string) => string | null;
  /** The assistant's message of a response; null where it has none. */
  readonly messageOf: (body: unknown) => ChatMessage | null;
}

interface Run {
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly scorers: readonly ScorerName[];
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
  readonly model: string;
  readonly items: number;
  readonly judge: JudgeSettings | null;
  /** The position of the model that it judges; null for a model. */
  readonly judges: number | null;
}

interface SealedInput {
  readonly line: number;
  readonly item_id: string;
  readonly content: Buffer | null;
  readonly wrapped_key: Buffer | null;
}

interface LineInput extends SealedInput {
  /** Of the output that is judged; absent for a request of an item. */
  readonly output_content?: Buffer | null;
  readonly output_key?: Buffer | null;
}

/** A row of outputs. */
interface OutputValues {
  /** In the order of `insertOutput`. */
  readonly values: readonly unknown[];
  /** The score that it is of another output; null without one. */
  readonly score: {
    readonly line: number;
    readonly model: number;
    readonly scorer: number;
    readonly value: number;
  } | null;
}

/** Of items that are read at once, before they are compressed; one may be longer. */
const PAGE_BYTES = 1_000_000;
/** For figures of a run in progress: more than are recorded at once on average, and the same time whatever the run's length. */
const METERED_PER_RECORD = 32;
const DIGEST_BYTES = 16;
/** Scored where a request succeeded without output, for example because its reasoning used all tokens. */
const EMPTY_OUTPUT: ChatMessage = { role: 'assistant', content: '' };
const MAX_CODE_CHARACTERS = 100;

/** The lines of a run's batches: requests of its items, and what they returned, encrypted. */
export class RunLines {
  readonly #dependencies: RunLinesDependencies;

  constructor(dependencies: RunLinesDependencies) {
    this.#dependencies = dependencies;
  }

  /** The requests from a line on. It holds one page of items at a time. */
  async *input({ datasetRunId: id, datasetRunModel: model }: RunBatch, first: number): AsyncGenerator<Uint8Array> {
    const run = await this.#run(id, model);
    if (run === null) return;
    await this.#query(sql.startRun, [id]);
    for (let line = first; line < run.items;) {
      const from = [id, line, PAGE_BYTES];
      const rows = await (run.judges === null
        ? this.#query<LineInput>(sql.inputPage, from)
        : this.#query<LineInput>(judgedPage, [...from, run.judges]));
      if (rows.length === 0) return;
      for (const row of rows) {
        const body = this.#bodyOf(id, run, row);
        yield Buffer.from(this.#dependencies.inputLine({ customId: String(row.line), body }));
      }
      line += rows.length;
    }
  }

  /** Without messages, what cannot be decrypted is refused as a request. */
  #bodyOf(id: string, run: Run, row: LineInput): Readonly<Record<string, unknown>> {
    const item = this.#opened(run, row);
    if (run.judge === null || run.judges === null) return itemRequest(run, item);
    const { output_content: bytes = null, output_key: wrappedKey = null } = row;
    const of = { accountId: run.accountId, eventId: outputOwner(id, row.line, run.judges) };
    const opened =
      bytes === null || wrappedKey === null ? null : this.#dependencies.seal.open({ bytes, wrappedKey }, of);
    if (item === null || opened === null) return itemRequest(run, null);
    // Written by `outputs`.
    const { message } = JSON.parse(opened.toString()) as OutputDocument;
    return judgeRequest(run.judge, item, message ?? EMPTY_OUTPUT);
  }

  /** Results as rows, with scores. */
  async outputs(batch: RunBatch, results: readonly LineResult[]): Promise<OutputValues[]> {
    const { datasetRunId: id, datasetRunModel: model } = batch;
    const run = await this.#run(id, model);
    if (run === null) return [];
    const rows: OutputValues[] = [];
    for (const result of results) rows.push(await this.#outputOf(batch, run, result));
    return rows;
  }

  /** @param client of the transaction that stores the results of the batch */
  async store(client: SqlClient, batch: RunBatch, rows: readonly OutputValues[]) {
    const { datasetRunId: id, datasetRunModel: model } = batch;
    let bytes = 0;
    for (const { values, score } of rows) {
      const { rows: stored } = await client.query<{ bytes: number }>(sql.insertOutput, [...values]);
      bytes += stored[0]?.bytes ?? 0;
      if (score !== null) await client.query(setScore, [id, score.line, score.model, score.scorer, score.value]);
    }
    await meterPage(client, batch, -1, METERED_PER_RECORD);
    await client.query(sql.setWaiting, [id, model, null]);
    await client.query(sql.addBytes, [id, bytes]);
  }

  async #outputOf(batch: RunBatch, run: Run, given: LineResult): Promise<OutputValues> {
    const { datasetRunId: id, datasetRunModel: model } = batch;
    const { seal, eventIdOf } = this.#dependencies;
    const { line, isUnsent = false } = given;
    const { requestId, message, errorCode, document, score } = this.#read(run, given);
    const isSuccess = errorCode === null;
    const isScored = isSuccess && run.judges === null;
    const eventId = requestId === null ? null : eventIdOf(requestId);
    const sealed = await seal.seal(run.accountId, [{ eventId: outputOwner(id, line, model), document }]);
    const scores = isScored ? await this.#scores(id, run, line, message ?? EMPTY_OUTPUT) : null;
    const values = [
      id,
      line,
      model,
      eventId === null ? [] : [eventId],
      isSuccess ? 'completed' : 'failed',
      errorCode === null ? null : storableText(errorCode).slice(0, MAX_CODE_CHARACTERS),
      document.length,
      sealed.bytes,
      sealed.wrappedKeys,
      isScored ? this.#digest(id, run, message) : null,
      scores === null ? null : JSON.stringify(scores),
      isUnsent || eventId === null,
    ];
    const isJudgement = score !== null && run.judges !== null;
    const scorer = run.scorers.indexOf('JUDGE');
    return { values, score: isJudgement ? { line, model: run.judges, scorer, value: score } : null };
  }

  #read({ judge, judges }: Run, given: LineResult): JudgeOutput {
    const output = readOutput(given, this.#dependencies.messageOf);
    return judge === null || judges === null ? { ...output, score: null } : readJudgement(output, judge.scale);
  }

  async #scores(id: string, run: Run, line: number, message: ChatMessage): Promise<(number | null)[] | null> {
    if (run.scorers.length === 0) return null;
    const [row] = await this.#query<SealedInput>(sql.inputPage, [id, line, 0]);
    const item = row === undefined ? null : this.#opened(run, row);
    return scoresOf(run.scorers, message, item?.output ?? null);
  }

  /** Equal for equal outputs of a run, also while the master key is rotated, and says nothing about them without that key. */
  #digest(id: string, { createdMs }: Run, message: ChatMessage | null): Buffer {
    const { masterKey } = this.#dependencies.masterKeys.activeAt(createdMs);
    const key = deriveKey(masterKey, id, 'sluice/dataset-run/1', 32);
    const calls = message?.tool_calls;
    const functions = Array.isArray(calls)
      ? calls.map((call: unknown) => (Object(call) as { function?: unknown }).function)
      : [];
    const text = message === null ? '' : textOfMessage(message).trim();
    return createHmac('sha256', key)
      .update(JSON.stringify([text, functions]))
      .digest()
      .subarray(0, DIGEST_BYTES);
  }

  async #run(id: string, model: number): Promise<Run | null> {
    return (await this.#query<Run>(sql.readRun, [id, model]))[0] ?? null;
  }

  /** Null where it was encrypted under another secret of the server. */
  #opened(
    { accountId }: Run,
    { item_id: eventId, content, wrapped_key: wrappedKey }: SealedInput,
  ): ItemDocument | null {
    if (content === null || wrappedKey === null) return null;
    const opened = this.#dependencies.seal.open({ bytes: content, wrappedKey }, { accountId, eventId });
    // Written by `DatasetsService.add`.
    return opened === null ? null : (JSON.parse(opened.toString()) as ItemDocument);
  }

  #query<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return mapDatabaseErrors(() => this.#dependencies.database.query<Row>(text, values));
  }
}

/** What the content of an output is encrypted for. */
export function outputOwner(runId: string, line: number, model: number): string {
  return `${runId}/${line}/${model}`;
}
