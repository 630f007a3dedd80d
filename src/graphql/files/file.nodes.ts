import type { FilesService } from '../../services/files/files.service.ts';
import { accountReach } from '../../services/object-reach.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toStoredFile } from './file.mapping.ts';

/** Files by their IDs. */
export function fileNodes(files: Pick<FilesService, 'byIds'>): NodeLoaders {
  return {
    StoredFile: async (context, ids) => {
      const { accountId } = await context.require('files.read');
      const rows = await files.byIds(accountReach(accountId), ids);
      return rows.map((row) => withTypename('StoredFile', toStoredFile(row)));
    },
  };
}
