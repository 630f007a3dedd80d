import type { KeysService } from '../../services/keys/keys.service.ts';
import type { AccessTokensService } from '../../services/keys/access-tokens.service.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toAccessToken } from './access-token.mapping.ts';
import { toApiKey } from './api-key.mapping.ts';

/** API keys and access tokens by their IDs. */
export function keyNodes(
  keys: Pick<KeysService, 'byIds'>,
  accessTokens: Pick<AccessTokensService, 'byIds'>,
): NodeLoaders {
  return {
    ApiKey: async (context, ids) => {
      const { accountId } = await context.require('keys.read');
      const rows = await keys.byIds(accountId, ids);
      return rows.map((row) => withTypename('ApiKey', toApiKey(row)));
    },
    AccessToken: async (context, ids) => {
      const { accountId } = await context.require('keys.read');
      const rows = await accessTokens.byIds(accountId, ids);
      return rows.map((row) => withTypename('AccessToken', toAccessToken(row)));
    },
  };
}
