import type { GraphQLResolveInfo } from 'graphql';
import { selectedFields } from '../operation/selected-fields.ts';

/** The fields of `DatasetItem` that are encrypted. */
const fields = ['messages', 'parameters', 'output', 'model', 'requestedAt', 'redactions', 'dropped'] as const;

/** Whether the content of items is selected, which is read and decrypted for it. */
export function isContentSelected(info: GraphQLResolveInfo): boolean {
  return selectedFields(info, fields).size > 0;
}
