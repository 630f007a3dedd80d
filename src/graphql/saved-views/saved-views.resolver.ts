import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import {
  MAX_OWN_VIEWS,
  MAX_SHARED_VIEWS,
  type SavedViewsService,
  type ViewWriter,
} from '../../services/saved-views/saved-views.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { toSavedView, viewReader } from './saved-view.mapping.ts';
import { CreateSavedViewInput, SavedView, SavedViewPage, UpdateSavedViewInput } from './saved-view.types.ts';

@Resolver()
export class SavedViewsResolver {
  readonly #views: SavedViewsService;

  constructor(views: SavedViewsService) {
    this.#views = views;
  }

  @Requires('usage.read')
  @Query(() => [SavedView], {
    description: `The caller’s saved views and the shared ones of the account, oldest first. Maximum ${MAX_OWN_VIEWS} private and ${MAX_SHARED_VIEWS} shared ones.`,
  })
  async savedViews(
    @Arg('page', () => SavedViewPage, { nullable: true, description: 'Only views of this page. Default: all.' })
    page: SavedViewPage | null | undefined,
    @Ctx() context: GraphqlContext,
  ): Promise<SavedView[]> {
    const reader = viewReader(await context.caller());
    return (await this.#views.list(reader, page ?? null)).map((row) => toSavedView(row, reader));
  }

  @Requires('saved_views.write')
  @Mutation(() => SavedView, { description: 'Saves a view.' })
  async createSavedView(
    @Arg('input', () => CreateSavedViewInput, { description: 'The view.' }) input: CreateSavedViewInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SavedView> {
    const writer = await writerOf(context);
    return toSavedView(await this.#views.create(writer, input), writer);
  }

  @Requires('saved_views.write')
  @Mutation(() => SavedView, {
    description:
      'Changes a saved view. A shared view of another user can be changed with the permission `saved_views.share`.',
  })
  async updateSavedView(
    @Arg('id', () => ID, { description: 'ID of a `SavedView`.' }) id: string,
    @Arg('input', () => UpdateSavedViewInput, { description: 'The changes.' }) input: UpdateSavedViewInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SavedView> {
    const writer = await writerOf(context);
    return toSavedView(await this.#views.update(writer, fromGlobalId('SavedView', id), input), writer);
  }

  @Requires('saved_views.write')
  @Mutation(() => Boolean, {
    description:
      'Deletes a saved view. A shared view of another user can be deleted with the permission `saved_views.share`.',
  })
  async deleteSavedView(
    @Arg('id', () => ID, { description: 'ID of a `SavedView`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.#views.remove(await writerOf(context), fromGlobalId('SavedView', id));
    return true;
  }
}

/** @throws SluiceError forbidden for an API key */
async function writerOf(context: GraphqlContext): Promise<ViewWriter> {
  const { accountId, userId } = viewReader(await context.caller());
  if (userId === null) throw new SluiceError('forbidden', { detail: 'a saved view belongs to a user' });
  return { accountId, userId, requireSharing: () => context.require('saved_views.share') };
}
