import { randomUUID } from 'node:crypto';
import { SluiceError } from '../../errors/index.ts';
import type { ComparisonRuns } from '../../gateway/comparisons/comparison-runs.ts';
import type { LaneState } from '../../gateway/comparisons/lane-state.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ComparisonFilter } from './comparison-filter.ts';
import { readComparison, type ComparisonInput } from './comparison-input.ts';
import type { ComparisonRows } from './comparison-rows.ts';
import { allTexts, LISTED_CHARACTERS, type ComparisonPage, type ComparisonView } from './comparison-views.ts';

export interface ComparisonsDependencies {
  readonly rows: ComparisonRows;
  readonly runs: Pick<
    ComparisonRuns,
    'prepare' | 'lanes' | 'snapshot' | 'unsavedEnds' | 'read' | 'follow' | 'cancel' | 'forget'
  >;
  /** Deletes a file that a lane created. */
  readonly discard: (accountId: string, blobId: string) => Promise<unknown>;
  /** Creates a temporary link to a file. */
  readonly linkTo: (blobId: string) => string;
}

/**
 * Comparisons of an account. Another account's comparison is not found. Every method also throws SluiceError
 * database_unavailable.
 */
export class ComparisonsService {
  readonly #dependencies: ComparisonsDependencies;
  /** Creates a temporary link to a file that a lane created. */
  readonly linkTo: (blobId: string) => string;

  constructor(dependencies: ComparisonsDependencies) {
    this.#dependencies = dependencies;
    this.linkTo = dependencies.linkTo;
  }

  /**
   * Sends the prompt to all models concurrently, as this key. @throws SluiceError bad_user_input | rate_limit_concurrency |
   * zero_retention
   */
  async start(key: KeyRecord, input: ComparisonInput): Promise<ComparisonView> {
    if (key.zeroRetention === true)
      throw new SluiceError('zero_retention', {
        values: { what: 'A comparison', next: 'Send its models one request each.' },
      });
    const given = readComparison(input);
    const id = randomUUID();
    const run = this.#dependencies.runs.prepare({ id, key, ...given });
    try {
      const view = await this.#dependencies.rows.begin(id, key, given, run.lanes());
      run.start();
      return this.#asItRuns(view);
    } catch (error) {
      this.#dependencies.runs.forget(id);
      throw error;
    }
  }

  /** @param texts the texts to read of its lanes; others are empty unless it runs here @throws SluiceError not_found */
  async get(accountId: string, id: string, texts = allTexts): Promise<ComparisonView> {
    return this.#asItRuns(await this.#dependencies.rows.get(accountId, id, texts));
  }

  /** The account's comparisons among these ids. @param texts as of `get`, but truncated if there are several */
  async byIds(accountId: string, ids: readonly string[], texts = allTexts): Promise<ComparisonView[]> {
    return this.#asTheyRun(await this.#dependencies.rows.byIds(accountId, ids, texts));
  }

  /** Newest first. @param after the end of the previous page @param texts as of `byIds` */
  async list(
    accountId: string,
    filter: ComparisonFilter,
    limit: number,
    after: { readonly at: Date; readonly id: string } | null,
    backwards = false,
    texts = allTexts,
  ): Promise<ComparisonPage> {
    const endedIds = this.#dependencies.runs.unsavedEnds(accountId);
    const page = await this.#dependencies.rows.list(accountId, { ...filter, endedIds }, limit, after, backwards, texts);
    return { ...page, views: this.#asTheyRun(page.views) };
  }

  /** By its link. @throws SluiceError not_found if the link is invalid */
  async shared(token: string, texts = allTexts): Promise<ComparisonView> {
    return this.#asItRuns(await this.#dependencies.rows.shared(token, texts));
  }

  /**
   * Its events from the first, or after a cursor, if it runs in this process or did recently, or in another worker; else null.
   * The caller must have checked access.
   */
  async events(id: string, after: string | null, signal: AbortSignal): ReturnType<ComparisonRuns['follow']> {
    const { runs } = this.#dependencies;
    return runs.read(id, after, signal) ?? runs.follow(id, after, signal);
  }

  /** @param model null for all running lanes @throws SluiceError not_found */
  async cancel(accountId: string, id: string, model: string | null): Promise<void> {
    await this.#dependencies.rows.cancel(accountId, id, model);
    // A lane in another process is cancelled when that process next renews its lease.
    this.#dependencies.runs.cancel(id, model);
  }

  /** @param name null to remove it @throws SluiceError not_found | bad_user_input */
  rename(accountId: string, id: string, name: string | null): Promise<void> {
    return this.#dependencies.rows.rename(accountId, id, name);
  }

  /** @param winner the model as requested; null for a tie @throws SluiceError not_found */
  vote(accountId: string, id: string, voter: string, winner: string | null): Promise<void> {
    return this.#dependencies.rows.vote(accountId, id, voter, winner);
  }

  /** @throws SluiceError not_found */
  withdrawVote(accountId: string, id: string, voter: string): Promise<void> {
    return this.#dependencies.rows.withdrawVote(accountId, id, voter);
  }

  /** @returns the token, of which only the hash is stored @throws SluiceError not_found */
  share(accountId: string, id: string): Promise<{ readonly token: string; readonly sharedAt: Date }> {
    return this.#dependencies.rows.share(accountId, id);
  }

  /** @throws SluiceError not_found */
  unshare(accountId: string, id: string): Promise<void> {
    return this.#dependencies.rows.unshare(accountId, id);
  }

  /** With the files that its lanes created; running lanes are cancelled. @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    const files = await this.#dependencies.rows.remove(accountId, id);
    const running = this.#dependencies.runs.lanes(id)?.flatMap(({ media }) => media) ?? [];
    this.#dependencies.runs.forget(id);
    const blobIds = new Set([...files, ...running].map(({ blobId }) => blobId));
    await Promise.all([...blobIds].map((blobId) => this.#dependencies.discard(accountId, blobId)));
  }

  #asTheyRun(views: readonly ComparisonView[]): ComparisonView[] {
    const all = views.map((view) => this.#asItRuns(view));
    return all.length === 1 ? all : all.map((view) => ({ ...view, lanes: view.lanes.map(listed) }));
  }

  /** Uses the lanes and the end in memory if it runs here: they are newer than their rows. */
  #asItRuns(view: ComparisonView): ComparisonView {
    return { ...view, ...this.#dependencies.runs.snapshot(view.row.id) };
  }
}

/** Truncates texts as in lists. */
function listed(lane: LaneState): LaneState {
  const { output, reasoning, toolCalls } = lane;
  const isLong = toolCalls.reduce((sum, call) => sum + call.arguments.length, 0) > LISTED_CHARACTERS;
  return {
    ...lane,
    output: output.slice(0, LISTED_CHARACTERS),
    reasoning: reasoning.slice(0, LISTED_CHARACTERS),
    toolCalls: isLong ? [] : toolCalls,
  };
}
