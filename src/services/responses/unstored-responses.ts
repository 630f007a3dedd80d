import type { NewResponse } from '../../gateway/capabilities/responses/background/run-store.ts';
import type { UnstoredRow } from '../unstored-rows/row-queue.ts';
import { UnstoredRows, type UnstoredRowsDependencies } from '../unstored-rows/unstored-rows.ts';
import { publicResponseId } from './response-id.ts';
import { insertRows, rowJson, type ResponseRow } from './response-rows.ts';

/** Finished responses that are stored in the background, by their UUIDs. */
export type UnstoredResponses = UnstoredRows<ResponseRow>;

export function unstoredResponses(dependencies: UnstoredRowsDependencies): UnstoredResponses {
  return new UnstoredRows(dependencies, { insert: insertRows, what: 'responses', shownName: publicResponseId });
}

export function unstoredResponse(given: NewResponse): UnstoredRow {
  const { id, key } = given;
  return { name: id, accountId: key.accountId, apiKeyId: key.id, json: rowJson(given, null, null) };
}
