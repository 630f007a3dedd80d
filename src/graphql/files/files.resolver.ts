import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { publicFileId } from '../../services/files/file-id.ts';
import type { FilesService } from '../../services/files/files.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { readGlobalId, toGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest, toConnection } from '../relay/page.ts';
import { toStoredFile } from './file.mapping.ts';
import { FilePurpose, FileStorage, StoredFile, StoredFileConnection } from './file.types.ts';

const idDescription = 'The `id` or the `fileId`.';

@Resolver()
export class FilesResolver {
  readonly #files: FilesService;

  constructor(files: FilesService) {
    this.#files = files;
  }

  @Requires('files.read')
  @Query(() => StoredFile, { description: 'A file of the account.' })
  async file(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<StoredFile> {
    const { accountId } = await context.caller();
    return toStoredFile(await this.#files.get(accountReach(accountId), publicIdOf(id)));
  }

  @Requires('files.read')
  @Query(() => StoredFileConnection, { description: 'The account’s files, newest first.' })
  async files(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('purpose', () => FilePurpose, { nullable: true, description: 'Only files of this purpose.' })
    purpose: FilePurpose | null,
    @Ctx() context: GraphqlContext,
  ): Promise<StoredFileConnection> {
    const { accountId } = await context.caller();
    const request = pageRequest(page);
    const { limit, from, backwards } = request;
    const after = from === null ? null : publicIdOf(from);
    const order = backwards ? 'asc' : 'desc';
    const found = await this.#files.list(accountReach(accountId), { limit, order, after }, purpose ?? null);
    return toConnection(found, request, (row) => ({
      cursor: toGlobalId('StoredFile', row.id),
      node: toStoredFile(row),
    }));
  }

  @Requires('files.read')
  @Query(() => FileStorage, { description: 'How much the files of the account use of their space.' })
  async fileStorage(@Ctx() context: GraphqlContext): Promise<FileStorage> {
    const { accountId } = await context.caller();
    return this.#files.storageOf(accountId);
  }

  @Requires('files.write')
  @Mutation(() => Boolean, { description: 'Deletes a file with its content.' })
  async deleteFile(
    @Arg('id', () => ID, { description: idDescription }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#files.remove(accountReach(accountId), publicIdOf(id), { audited: true });
    return true;
  }
}

function publicIdOf(id: string): string {
  const own = readGlobalId('StoredFile', id);
  return own === null ? id : publicFileId(own);
}
