import { SluiceError } from '../../errors/index.ts';
import type { NamedObject } from '../../protocols/canonical/protocol.ts';
import type { Connection } from '../../providers/contract.ts';

/** @throws SluiceError not_found for an object on a connection that accounts share, unless the client obtained it */
export function refuseForeignObjects(
  { id, provider, storesResponses = true }: Connection,
  named: readonly NamedObject[],
  own?: ReadonlySet<string>,
): void {
  const isShared = id === provider;
  const checked = storesResponses ? named : named.filter(({ isItem }) => isItem !== true);
  const foreign = isShared ? checked.find((object) => own?.has(object.id) !== true) : undefined;
  if (foreign !== undefined) throw new SluiceError('not_found', { param: foreign.path, values: { what: 'object' } });
}
