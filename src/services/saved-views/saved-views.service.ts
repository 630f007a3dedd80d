import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SavedView, User, type SavedViewPage } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import { newViewSchema, viewChangeSchema, type NewView, type ViewChange } from './view-input.ts';

export const MAX_OWN_VIEWS = 50;
export const MAX_SHARED_VIEWS = 100;

/** The account, and the user whose private views are included; null for an API key. */
export interface ViewReader {
  readonly accountId: string;
  readonly userId: string | null;
}

export interface ViewWriter extends ViewReader {
  readonly userId: string;
  /** Whether shared views can be created, changed and deleted. @throws SluiceError forbidden */
  readonly requireSharing: () => Promise<unknown>;
}

/** Saved views of the dashboard. Another account’s view, or another user’s private one, is not found. Every method also throws SluiceError database_unavailable. */
export class SavedViewsService {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock = systemClock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** The reader’s own views and shared ones, in the order of creation. */
  list(reader: ViewReader, page: SavedViewPage | null = null): Promise<SavedView[]> {
    const orderBy = { createdAt: 'asc', id: 'asc' } as const;
    return mapDatabaseErrors(() =>
      this.#database.em().find(SavedView, { ...visibleTo(reader), ...(page !== null && { page }) }, { orderBy }),
    );
  }

  /** @throws SluiceError bad_user_input | forbidden | too_many_saved_views */
  async create(writer: ViewWriter, input: NewView): Promise<SavedView> {
    const { isShared, ...given } = parseInput(newViewSchema, input);
    if (isShared === true) await writer.requireSharing();
    return mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        const account = await lockAccount(em, writer.accountId);
        await requireRoom(em, writer, isShared === true);
        const now = new Date(this.#clock.now());
        const owner = em.getReference(User, writer.userId);
        const times = { createdAt: now, updatedAt: now };
        const view = em.create(SavedView, { ...given, ...times, account, owner, isShared: isShared === true });
        await em.persist(view).flush();
        return view;
      }),
    );
  }

  /** @throws SluiceError bad_user_input | forbidden | not_found | too_many_saved_views */
  async update(writer: ViewWriter, id: string, input: ViewChange): Promise<SavedView> {
    const { name, search, isShared } = parseInput(viewChangeSchema, input);
    return mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        await lockAccount(em, writer.accountId);
        const view = await find(em, writer, id);
        const isChanged = isShared != null && isShared !== view.isShared;
        if (view.isShared || isChanged) await writer.requireSharing();
        // A shared view of another user would disappear from this user’s sight.
        if (isChanged && view.owner.id !== writer.userId)
          throw new SluiceError('forbidden', { detail: 'only its owner can stop sharing a view' });
        if (isChanged) await requireRoom(em, writer, isShared);
        view.name = name ?? view.name;
        view.search = search ?? view.search;
        view.isShared = isShared ?? view.isShared;
        view.updatedAt = new Date(this.#clock.now());
        return view;
      }),
    );
  }

  /** @throws SluiceError forbidden | not_found */
  async remove(writer: ViewWriter, id: string): Promise<void> {
    await mapDatabaseErrors(() =>
      this.#database.em().transactional(async (em) => {
        const view = await find(em, writer, id);
        if (view.isShared) await writer.requireSharing();
        em.remove(view);
      }),
    );
  }
}

function visibleTo({ accountId, userId }: ViewReader): object {
  const shared = { account: accountId, isShared: true };
  return userId === null ? shared : { $or: [shared, { account: accountId, owner: userId }] };
}

async function find(em: EntityManager, writer: ViewWriter, id: string): Promise<SavedView> {
  const view = isUuid(id) ? await em.findOne(SavedView, { id, ...visibleTo(writer) }) : null;
  if (view === null) throw new SluiceError('not_found', { values: { what: 'saved view' } });
  return view;
}

/** @throws SluiceError too_many_saved_views */
async function requireRoom(em: EntityManager, { accountId, userId }: ViewWriter, isShared: boolean): Promise<void> {
  const limit = isShared ? MAX_SHARED_VIEWS : MAX_OWN_VIEWS;
  const where = isShared ? { account: accountId, isShared } : { account: accountId, owner: userId, isShared };
  if ((await em.count(SavedView, where)) < limit) return;
  throw new SluiceError('too_many_saved_views', { values: { limit, kind: isShared ? 'shared' : 'private' } });
}
