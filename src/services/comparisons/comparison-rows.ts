import { createHash, randomBytes } from 'node:crypto';
import { LockMode, type FilterQuery, type QueryOrderMap } from '@mikro-orm/core';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Account, Comparison, ComparisonLane, ComparisonVote } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ComparisonKind, ComparisonQuestion, LaneMedia, LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import { comparisonNameSchema, type NewComparison } from './comparison-input.ts';
import { LEASE_MS } from './lane-rows.ts';

const TOKEN_BYTES = 32;
const MAX_SEARCH_LENGTH = 200;
const tokenForm = /^[\w-]{43}$/;

/** The texts of lanes may be megabytes long, so that only requested ones are read. */
export const laneTexts = ['output', 'reasoning', 'toolCalls'] as const;
export type LaneText = (typeof laneTexts)[number];
type LaneTexts = ReadonlySet<LaneText>;

const noTexts: LaneTexts = new Set();
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

export interface ComparisonFilter {
  readonly kind?: ComparisonKind | null | undefined;
  /** A model of the comparison, as requested or as served. */
  readonly model?: string | null | undefined;
  /** Part of its name or its prompt. */
  readonly search?: string | null | undefined;
  readonly memberId?: string | null | undefined;
  readonly isRunning?: boolean | null | undefined;
  readonly isShared?: boolean | null | undefined;
  readonly isVoted?: boolean | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  /** Comparisons that have finished, although that is not stored yet. */
  readonly endedIds?: readonly string[];
}

export interface ComparisonPage {
  readonly views: readonly ComparisonView[];
  readonly hasMore: boolean;
}

/** Stored comparisons. Another account's comparison is not found. Every method also throws SluiceError database_unavailable. */
export class ComparisonRows {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Stores a comparison that is about to run. */
  begin(id: string, key: KeyRecord, given: NewComparison, lanes: readonly LaneState[]): Promise<ComparisonView> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      const now = this.#clock.now();
      const row = em.create(Comparison, {
        id,
        account: em.getReference(Account, key.accountId),
        apiKeyId: key.id,
        memberId: key.memberId,
        kind: given.kind,
        name: given.name,
        question: given.question,
        createdAt: new Date(now),
        leaseUntil: new Date(now + LEASE_MS),
      });
      em.persist(row);
      for (const lane of lanes) em.persist(em.create(ComparisonLane, { comparison: row, ...lane }));
      await em.flush();
      return { row, endedAt: null, question: given.question, lanes, votes: [] };
    });
  }

  /** @param texts the texts to read of its lanes; others are empty @throws SluiceError not_found */
  get(accountId: string, id: string, texts: LaneTexts): Promise<ComparisonView> {
    return this.#find({ account: accountId, id: requireUuid(id) }, texts);
  }

  /** The account's comparisons among these ids. @param texts as of `get`, but truncated if there are several */
  byIds(accountId: string, ids: readonly string[], texts: LaneTexts): Promise<ComparisonView[]> {
    const where = { account: accountId, id: { $in: ids.filter(isUuid) } };
    return mapDatabaseErrors(() => this.#views(where, [], texts));
  }

  /** Newest first. @param after the end of the previous page @param texts as of `byIds` */
  list(
    accountId: string,
    filter: ComparisonFilter,
    limit: number,
    after: { readonly at: Date; readonly id: string } | null,
    backwards: boolean,
    texts: LaneTexts,
  ): Promise<ComparisonPage> {
    return mapDatabaseErrors(async () => {
      const found = await this.#ids(accountId, filter, limit + 1, after, backwards);
      const ids = found.slice(0, limit);
      const order = backwards ? 'asc' : 'desc';
      const orderBy: QueryOrderMap<Comparison>[] = [{ createdAt: order }, { id: order }];
      return { views: await this.#views({ id: { $in: ids } }, orderBy, texts), hasMore: found.length > limit };
    });
  }

  /** @param name null to remove it @throws SluiceError not_found | bad_user_input */
  rename(accountId: string, id: string, name: string | null): Promise<void> {
    const given = name === null ? null : parseInput(comparisonNameSchema, name);
    return this.#change(accountId, id, { name: given });
  }

  /**
   * Stores a vote, replacing the voter's previous one.
   * @param winner the model as requested; null for a tie
   * @throws SluiceError not_found | bad_user_input if that lane failed
   */
  vote(accountId: string, id: string, voter: string, winner: string | null): Promise<void> {
    return mapDatabaseErrors(async () => {
      const { row, lanes } = await this.get(accountId, id, noTexts);
      const lane = winner === null ? null : lanes.find(({ model }) => model === winner);
      if (lane?.status === 'failed')
        throw new SluiceError('bad_user_input', {
          param: 'winner',
          values: { reason: 'winner: this model failed; vote for a model that responded' },
        });
      const position = lane === null ? null : lane?.position;
      if (position === undefined) throw new SluiceError('not_found', { values: { what: 'lane' } });
      await this.#database.query(
        `insert into comparison_votes (comparison_id, voter, position, voted_at) values ($1, $2, $3, clock_timestamp())
         on conflict (comparison_id, voter) do update set position = excluded.position, voted_at = excluded.voted_at`,
        [row.id, voter, position],
      );
    });
  }

  /** Deletes a vote. @throws SluiceError not_found */
  withdrawVote(accountId: string, id: string, voter: string): Promise<void> {
    return mapDatabaseErrors(async () => {
      const { row } = await this.get(accountId, id, noTexts);
      await this.#database.em().nativeDelete(ComparisonVote, { comparison: row.id, voter });
    });
  }

  /**
   * Creates a public link; the previous one becomes invalid. @returns the token, of which only the hash is stored
   * @throws SluiceError not_found
   */
  async share(accountId: string, id: string): Promise<{ readonly token: string; readonly sharedAt: Date }> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const sharedAt = new Date(this.#clock.now());
    await this.#change(accountId, id, { shareTokenHash: hashOf(token), sharedAt });
    return { token, sharedAt };
  }

  /** Invalidates its link. @throws SluiceError not_found */
  unshare(accountId: string, id: string): Promise<void> {
    return this.#change(accountId, id, { shareTokenHash: null, sharedAt: null });
  }

  /** @throws SluiceError not_found if the link is invalid */
  shared(token: string, texts: LaneTexts): Promise<ComparisonView> {
    // The hash is looked up by an index: the time reveals nothing of a token of 256 random bits.
    return tokenForm.test(token) ? this.#find({ shareTokenHash: hashOf(token) }, texts) : Promise.reject(notFound());
  }

  /**
   * Requests the cancellation of a lane, or of all running ones, from the process that runs it. @throws SluiceError not_found
   */
  cancel(accountId: string, id: string, model: string | null): Promise<void> {
    return mapDatabaseErrors(async () => {
      const { row, lanes } = await this.get(accountId, id, noTexts);
      const meant = lanes.filter((lane) => model === null || lane.model === model).map(({ position }) => position);
      if (meant.length === 0) throw new SluiceError('not_found', { values: { what: 'lane' } });
      await this.#database.query(
        "update comparison_lanes set cancel_asked = true where comparison_id = $1 and position = any($2) and status = 'running'",
        [row.id, meant],
      );
    });
  }

  /** @returns the files that its lanes created @throws SluiceError not_found */
  remove(accountId: string, id: string): Promise<readonly LaneMedia[]> {
    return mapDatabaseErrors(async () => {
      const { row, lanes } = await this.get(accountId, id, noTexts);
      await this.#database.em().transactional(async (em) => {
        const found = await em.findOne(Comparison, { id: row.id });
        if (found !== null) em.remove(found);
      });
      return lanes.flatMap(({ media }) => media);
    });
  }

  async #change(
    accountId: string,
    id: string,
    to: Partial<Pick<Comparison, 'name' | 'shareTokenHash' | 'sharedAt'>>,
  ): Promise<void> {
    const where = { account: accountId, id: requireUuid(id) };
    await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        const row = await em.findOne(Comparison, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (row === null) throw notFound();
        Object.assign(row, to);
      }),
    );
  }

  #find(where: FilterQuery<Comparison>, texts: LaneTexts): Promise<ComparisonView> {
    return mapDatabaseErrors(async () => {
      const [view] = await this.#views(where, [], texts);
      if (view === undefined) throw notFound();
      return view;
    });
  }

  /** All lanes, votes and texts, with one query each. */
  async #views(
    where: FilterQuery<Comparison>,
    orderBy: QueryOrderMap<Comparison>[],
    texts: LaneTexts,
  ): Promise<ComparisonView[]> {
    const em = this.#database.em();
    const rows = await em.find(Comparison, where, { orderBy });
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const most = rows.length === 1 ? FULL : LISTED_CHARACTERS;
    const of = { comparison: { $in: ids } };
    const lanes = await em.find(ComparisonLane, of, { orderBy: { position: 'asc' } });
    const ends = await this.#ends(rows, lanes);
    const votes = await em.find(ComparisonVote, of, { orderBy: { votedAt: 'asc' } });
    const questions = await this.#questions(ids, most);
    const outcomes = await this.#outcome(ids, texts, most);
    const now = this.#clock.now();
    return rows.map((row) => {
      const its = lanes.filter(({ comparison }) => comparison.id === row.id).map((lane) => asItIs(lane, row, now));
      const isRunning = its.some(({ status }) => status === 'running');
      return {
        row,
        // If no process runs it any more, its end is the one that the sweep will store.
        endedAt: isRunning ? null : (row.endedAt ?? ends.get(row.id) ?? row.leaseUntil),
        question: questions.get(row.id) ?? {},
        lanes: its.map((lane) => ({ ...lane, ...noOutcome, ...outcomes.get(`${row.id} ${lane.position}`) })),
        votes: votes.filter(({ comparison }) => comparison.id === row.id),
      };
    });
  }

  /** The ends of comparisons whose last lane was stored between reading their rows and their lanes. */
  async #ends(
    rows: readonly Comparison[],
    lanes: readonly Pick<ComparisonLane, 'comparison' | 'status'>[],
  ): Promise<ReadonlyMap<string, Date | null>> {
    const running = new Set(lanes.filter(({ status }) => status === 'running').map(({ comparison }) => comparison.id));
    const ids = rows.filter(({ id, endedAt }) => endedAt === null && !running.has(id)).map(({ id }) => id);
    if (ids.length === 0) return new Map();
    const read = await this.#database.em().find(Comparison, { id: { $in: ids } }, { fields: ['endedAt'] });
    return new Map(read.map(({ id, endedAt }) => [id, endedAt]));
  }

  async #questions(ids: readonly string[], most: number): Promise<ReadonlyMap<string, ComparisonQuestion>> {
    const rows = await this.#database.query<{ id: string; question: ComparisonQuestion }>(
      `select id, case when length(question::text) <= $2::int then question
         else jsonb_strip_nulls(jsonb_build_object('prompt', left(question ->> 'prompt', $2::int))) end as question
       from comparisons where id = any($1::uuid[])`,
      [ids, most],
    );
    return new Map(rows.map(({ id, question }) => [id, question]));
  }

  /** By comparison and position. */
  async #outcome(
    ids: readonly string[],
    texts: LaneTexts,
    most: number,
  ): Promise<ReadonlyMap<string, Partial<LaneOutcome>>> {
    if (texts.size === 0) return new Map();
    const rows = await this.#database.query<{ id: string; position: number } & Partial<LaneOutcome>>(
      `select comparison_id as id, position, ${[...texts].map((text) => `${textColumns[text]} as "${text}"`).join(', ')}
       from comparison_lanes where comparison_id = any($1::uuid[])`,
      [ids, most],
    );
    return new Map(rows.map(({ id, position, ...outcomes }) => [`${id} ${position}`, outcomes]));
  }

  async #ids(
    accountId: string,
    filter: ComparisonFilter,
    limit: number,
    after: { readonly at: Date; readonly id: string } | null,
    backwards: boolean,
  ): Promise<string[]> {
    const values: unknown[] = [];
    const value = (given: unknown): string => `$${values.push(given)}`;
    const parts = [`account_id = ${value(accountId)}`, ...conditions(filter, value)];
    const [beyond, order] = backwards ? ['>', 'asc'] : ['<', 'desc'];
    if (after !== null)
      parts.push(`(created_at, id) ${beyond} (${value(after.at)}::timestamptz, ${value(after.id)}::uuid)`);
    const found = await this.#database.query<{ id: string }>(
      `select id from comparisons where ${parts.join(' and ')} order by created_at ${order}, id ${order} limit ${value(limit)}`,
      values,
    );
    return found.map(({ id }) => id);
  }
}

const VOTED = 'exists (select from comparison_votes vote where vote.comparison_id = comparisons.id)';

/** @param value adds a parameter and returns its placeholder */
function conditions(filter: ComparisonFilter, value: (given: unknown) => string): string[] {
  const { kind, memberId, model, search, isRunning, isShared, isVoted, from, to, endedIds = [] } = filter;
  const parts: string[] = [];
  const either = (wanted: boolean | null | undefined, holds: string): void => {
    if (typeof wanted === 'boolean') parts.push(wanted ? holds : `not ${holds}`);
  };
  if (typeof isRunning === 'boolean')
    either(
      isRunning,
      `(ended_at is null and lease_until > clock_timestamp() and id <> all(${value(endedIds)}::uuid[]))`,
    );
  either(isShared, '(shared_at is not null)');
  either(isVoted, VOTED);
  if (kind) parts.push(`kind = ${value(kind)}`);
  if (memberId) parts.push(`member_id = ${value(memberId)}`);
  if (from) parts.push(`created_at >= ${value(from)}`);
  if (to) parts.push(`created_at < ${value(to)}`);
  if (model) {
    const name = value(storable(model));
    parts.push(
      `exists (select from comparison_lanes lane where lane.comparison_id = comparisons.id and ${name} in (lane.model, lane.served_model))`,
    );
  }
  if (search) {
    const like = `ilike ${value(`%${storable(search).replace(/[\\%_]/g, '\\$&')}%`)}`;
    const texts = ['name', "question ->> 'prompt'", "question ->> 'messages'", "question ->> 'texts'"];
    parts.push(`(${texts.map((text) => `${text} ${like}`).join(' or ')})`);
  }
  return parts;
}

function storable(text: string): string {
  return text.slice(0, MAX_SEARCH_LENGTH).replaceAll('\0', '').toWellFormed();
}

type LaneOutcome = Pick<LaneState, LaneText>;
const noOutcome: LaneOutcome = { output: '', reasoning: '', toolCalls: [] };

/** A lane whose lease has expired counts as finished before the sweep stores it. */
function asItIs(
  lane: Omit<ComparisonLane, LaneText>,
  { leaseUntil }: Pick<Comparison, 'leaseUntil'>,
  now: number,
): Omit<LaneState, LaneText> {
  const { comparison: _comparison, cancelAsked: _cancelAsked, ...state } = lane;
  return state.status === 'running' && leaseUntil.getTime() <= now ? { ...state, status: 'interrupted' } : state;
}

function requireUuid(id: string): string {
  if (!isUuid(id)) throw notFound();
  return id;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function notFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'comparison' } });
}
