import { createHash, randomBytes } from 'node:crypto';
import { LockMode, type FilterQuery, type QueryOrderMap } from '@mikro-orm/core';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { Account, Comparison, ComparisonLane, ComparisonVote } from '../../database/entities/index.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { SluiceError } from '../../errors/index.ts';
import type { LaneMedia, LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import { findComparisonIds, type ComparisonFilter } from './comparison-filter.ts';
import { comparisonNameSchema, type NewComparison } from './comparison-input.ts';
import { noTexts, readViews, type ComparisonPage, type ComparisonView, type LaneTexts } from './comparison-views.ts';
import { LEASE_MS } from './lane-rows.ts';

const TOKEN_BYTES = 32;
const tokenForm = /^[\w-]{43}$/;

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
      // The database also says when the lease has expired.
      const now = await timeOf(this.#database);
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
      const found = await findComparisonIds(this.#database, accountId, filter, limit + 1, after, backwards);
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

  #views(
    where: FilterQuery<Comparison>,
    orderBy: QueryOrderMap<Comparison>[],
    texts: LaneTexts,
  ): Promise<ComparisonView[]> {
    return readViews(this.#database, where, orderBy, texts);
  }
}

/** In ms since the epoch. */
async function timeOf(database: SqlQueries): Promise<number> {
  const [row] = await database.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  if (row === undefined) throw new Error('the database returned no time');
  return row.ms;
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
