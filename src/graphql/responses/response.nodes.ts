import { accountReach } from '../../services/object-reach.ts';
import type { ResponsesService } from '../../services/responses/responses.service.ts';
import { selectedFields } from '../operation/selected-fields.ts';
import { withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { responseFields, toModelResponse } from './response.mapping.ts';

/** Stored responses by their IDs. */
export function responseNodes(responses: Pick<ResponsesService, 'byIds'>): NodeLoaders {
  return {
    ModelResponse: async (context, ids, info) => {
      const { accountId } = await context.require('responses.read');
      const withOutput = selectedFields(info, responseFields).size > 0;
      const rows = await responses.byIds(accountReach(accountId), ids, withOutput);
      return rows.map((row) => withTypename('ModelResponse', toModelResponse(row)));
    },
  };
}
