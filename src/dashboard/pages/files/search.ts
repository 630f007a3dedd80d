import { nonEmptyText, oneOf, type UntrustedSearch } from '../../data/search.ts';
import type { FilePurpose } from '../../generated/graphql.ts';
import { purposes } from './purposes.ts';

export interface FilesSearch {
  readonly purpose?: FilePurpose;
  /** The file whose details are open. */
  readonly file?: string;
  readonly upload?: true;
}

export function filesSearch(input: UntrustedSearch): FilesSearch {
  return {
    purpose: oneOf(purposes, input.purpose),
    file: nonEmptyText(input.file),
    upload: input.upload === true ? true : undefined,
  };
}
