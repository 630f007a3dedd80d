import { nonEmptyText, type UntrustedSearch } from '../../../data/search.ts';

export interface DatasetRunSearch {
  /** The column that the models are sorted by; by default their order in the run. */
  readonly sort?: string;
  readonly descends?: true;
  /** The figures of each model are of all of its own items. */
  readonly own?: true;
  /** Only items of which a request failed. */
  readonly failed?: true;
  /** Only items whose outputs differ. */
  readonly different?: true;
  /** Marks what differs from the expected output. */
  readonly marked?: true;
  /** Position of the item whose texts are shown in full. */
  readonly item?: number;
}

export function datasetRunSearch(input: UntrustedSearch): DatasetRunSearch {
  return {
    sort: nonEmptyText(input.sort),
    descends: flag(input.descends),
    own: flag(input.own),
    failed: flag(input.failed),
    different: flag(input.different),
    marked: flag(input.marked),
    item: typeof input.item === 'number' && Number.isInteger(input.item) ? input.item : undefined,
  };
}

function flag(value: unknown): true | undefined {
  return value === true ? true : undefined;
}
