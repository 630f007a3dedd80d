import { Account, AccountRoute, type AccountRouteRules } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { changeAccount, type AccountChangeDependencies } from '../connections/account-change.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import type { ModelNames } from '../model-names.ts';
import { isUuid } from '../uuid.ts';
import { modelNamesOf, routeSchema, toRules, type RouteInput } from './route-input.ts';

const MAX_ROUTES = 100;

/**
 * An account's own routes, as `routes` in `sluice.yaml` for all accounts. Another account's route is not found. Every method
 * also throws SluiceError database_unavailable.
 */
export class RoutesService {
  readonly #dependencies: AccountChangeDependencies;
  readonly #models: ModelNames | null;

  /** @param models null if names are stored unchecked */
  constructor(dependencies: AccountChangeDependencies, models: ModelNames | null = null) {
    this.#dependencies = dependencies;
    this.#models = models;
  }

  /** By name. */
  list(accountId: string): Promise<AccountRoute[]> {
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().find(AccountRoute, { account: accountId }, { orderBy: { name: 'asc' } }),
    );
  }

  /**
   * Creates a route, or replaces the route with this name.
   * @throws SluiceError bad_user_input | unknown_model_name | unlisted_model_name | too_many_routes | not_found
   */
  async save(accountId: string, input: RouteInput): Promise<AccountRoute> {
    if (!isUuid(accountId)) throw notFound('account');
    const given = parseInput(routeSchema, input);
    const settings = toRules(given);
    await this.#checkModels(accountId, given.name, settings, given.saveAnyway === true);
    return changeAccount(this.#dependencies, accountId, async (em) => {
      const now = new Date();
      const existing = await em.findOne(AccountRoute, { account: accountId, name: given.name });
      if (existing !== null) {
        Object.assign(existing, { settings, updatedAt: now });
        await em.flush();
        return existing;
      }
      if ((await em.count(AccountRoute, { account: accountId })) >= MAX_ROUTES)
        throw new SluiceError('too_many_routes', { values: { limit: MAX_ROUTES } });
      const account = em.getReference(Account, accountId);
      const made = em.create(AccountRoute, { account, name: given.name, settings, createdAt: now, updatedAt: now });
      await em.persist(made).flush();
      return made;
    });
  }

  async #checkModels(accountId: string, name: string, settings: AccountRouteRules, saveAnyway: boolean): Promise<void> {
    if (this.#models === null) return;
    const replaced = await mapDatabaseErrors(() =>
      this.#dependencies.database.em().findOne(AccountRoute, { account: accountId, name }),
    );
    const held = new Set(replaced === null ? [] : modelNamesOf(replaced.settings).map((each) => each.name));
    // Targets keep their spelling, because requests match any.
    await this.#models.check(accountId, modelNamesOf(settings), { held, saveAnyway });
  }

  /** @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await changeAccount(this.#dependencies, accountId, async (em) => {
      const route = isUuid(id) ? await em.findOne(AccountRoute, { id, account: accountId }) : null;
      if (route === null) throw notFound('route');
      await em.remove(route).flush();
    });
  }
}

function notFound(what: string): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
