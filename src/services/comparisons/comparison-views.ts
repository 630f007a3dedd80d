import type { FilterQuery, QueryOrderMap } from '@mikro-orm/core';
import type { Database } from '../../database/database.ts';
import { Comparison, ComparisonLane, ComparisonVote } from '../../database/entities/index.ts';
import type { SqlQueries } from '../../database/sql.ts';
import type { ComparisonQuestion, LaneState } from '../../gateway/comparisons/lane-state.ts';

/** The texts of lanes may be megabytes long, so that only requested ones are read. */
export const laneTexts = ['output', 'reasoning', 'toolCalls'] as const;
export type LaneText = (typeof laneTexts)[number];
export type LaneTexts = ReadonlySet<LaneText>;

export const noTexts: LaneTexts = new Set();
export const allTexts: LaneTexts = new Set(laneTexts);
/** Maximum length of a text where several comparisons are read together. */
export const LISTED_CHARACTERS = 10_000;
const FULL = 2 ** 31 - 1;

const textColumns: Readonly<Record<LaneText, string>> = {
  output: 'left(output, $2::int)',
  reasoning: 'left(reasoning, $2::int)',
  toolCalls: "case when length(tool_calls::text) <= $2::int then tool_calls else '[]' end",
};

/** A comparison with its lanes and votes. */
export interface ComparisonView {
  readonly row: Omit<Comparison, 'question' | 'endedAt'>;
  /** When its last lane finished; null exactly while one runs. */
  readonly endedAt: Date | null;
  /** In lists without parts that are too long, except for the start of the prompt. */
  readonly question: ComparisonQuestion;
  /** In the order in which the models were requested. */
  readonly lanes: readonly LaneState[];
  readonly votes: readonly ComparisonVote[];
}

export interface ComparisonPage {
  readonly views: readonly ComparisonView[];
  readonly hasMore: boolean;
}

/** All lanes, votes and texts, with one query each. Nothing here depends on the clock of this process. */
export async function readViews(
  database: Database,
  where: FilterQuery<Comparison>,
  orderBy: QueryOrderMap<Comparison>[],
  texts: LaneTexts,
): Promise<ComparisonView[]> {
  const em = database.em();
  const rows = await em.find(Comparison, where, { orderBy });
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const maxCharacters = rows.length === 1 ? FULL : LISTED_CHARACTERS;
  const of = { comparison: { $in: ids } };
  const lanes = await em.find(ComparisonLane, of, { orderBy: { position: 'asc' } });
  const ends = await endsOf(database, rows, lanes);
  const votes = await em.find(ComparisonVote, of, { orderBy: { votedAt: 'asc' } });
  const expired = await expiredAmong(database, ids);
  const questions = await questionsOf(database, ids, maxCharacters);
  const outcomes = await outcomesOf(database, ids, texts, maxCharacters);
  return rows.map((row) => {
    const lanesOfRow = lanes
      .filter(({ comparison }) => comparison.id === row.id)
      .map((lane) => currentState(lane, expired.has(row.id)));
    const isRunning = lanesOfRow.some(({ status }) => status === 'running');
    return {
      row,
      // If no process runs it any more, its end is the one that the sweep will store.
      endedAt: isRunning ? null : (row.endedAt ?? ends.get(row.id) ?? row.leaseUntil),
      question: questions.get(row.id) ?? {},
      lanes: lanesOfRow.map((lane) => ({ ...lane, ...noOutcome, ...outcomes.get(`${row.id} ${lane.position}`) })),
      votes: votes.filter(({ comparison }) => comparison.id === row.id),
    };
  });
}

/** The ends of comparisons whose last lane was stored between reading their rows and their lanes. */
async function endsOf(
  database: Database,
  rows: readonly Comparison[],
  lanes: readonly Pick<ComparisonLane, 'comparison' | 'status'>[],
): Promise<ReadonlyMap<string, Date | null>> {
  const running = new Set(lanes.filter(({ status }) => status === 'running').map(({ comparison }) => comparison.id));
  const ids = rows.filter(({ id, endedAt }) => endedAt === null && !running.has(id)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const read = await database.em().find(Comparison, { id: { $in: ids } }, { fields: ['endedAt'] });
  return new Map(read.map(({ id, endedAt }) => [id, endedAt]));
}

/** Those whose lease has expired, by the clock of the database. */
async function expiredAmong(database: SqlQueries, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ id: string }>(
    'select id from comparisons where id = any($1::uuid[]) and lease_until <= clock_timestamp()',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

async function questionsOf(
  database: SqlQueries,
  ids: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, ComparisonQuestion>> {
  const rows = await database.query<{ id: string; question: ComparisonQuestion }>(
    `select id, case when length(question::text) <= $2::int then question
       else jsonb_strip_nulls(jsonb_build_object('prompt', left(question ->> 'prompt', $2::int))) end as question
     from comparisons where id = any($1::uuid[])`,
    [ids, most],
  );
  return new Map(rows.map(({ id, question }) => [id, question]));
}

/** By comparison and position. */
async function outcomesOf(
  database: SqlQueries,
  ids: readonly string[],
  texts: LaneTexts,
  most: number,
): Promise<ReadonlyMap<string, Partial<LaneOutcome>>> {
  if (texts.size === 0) return new Map();
  const rows = await database.query<{ id: string; position: number } & Partial<LaneOutcome>>(
    `select comparison_id as id, position, ${[...texts].map((text) => `${textColumns[text]} as "${text}"`).join(', ')}
     from comparison_lanes where comparison_id = any($1::uuid[])`,
    [ids, most],
  );
  return new Map(rows.map(({ id, position, ...outcomes }) => [`${id} ${position}`, outcomes]));
}

type LaneOutcome = Pick<LaneState, LaneText>;
const noOutcome: LaneOutcome = { output: '', reasoning: '', toolCalls: [] };

/** A lane whose lease has expired counts as finished before the sweep stores it. */
function currentState(lane: Omit<ComparisonLane, LaneText>, isExpired: boolean): Omit<LaneState, LaneText> {
  const { comparison: _comparison, cancelAsked: _cancelAsked, ...state } = lane;
  return state.status === 'running' && isExpired ? { ...state, status: 'interrupted' } : state;
}
