import { SluiceError } from '../../errors/index.ts';
import type { NamedObject } from '../../protocols/canonical/protocol.ts';
import type { Connection } from '../../providers/contract.ts';

/** The connections that hold objects for a client, by the objects' ids: those of two connections may be equal. */
export type ObjectHolders = ReadonlyMap<string, readonly string[]>;

/** The first of some connections that holds all objects; undefined for none. */
export function commonHolder(
  objects: Iterable<readonly string[]>,
  connectionIds: Iterable<string>,
): string | undefined {
  const all = [...objects];
  for (const id of connectionIds) if (all.every((holders) => holders.includes(id))) return id;
  return undefined;
}

/** @throws SluiceError not_found for an object on a connection that accounts share, unless the client obtained it through that connection */
export function refuseForeignObjects(
  { id, provider, storesResponses = true }: Connection,
  named: readonly NamedObject[],
  own?: ObjectHolders,
): void {
  const isShared = id === provider;
  const checked = storesResponses ? named : named.filter(({ isItem }) => isItem !== true);
  const foreign = isShared ? checked.find((object) => own?.get(object.id)?.includes(id) !== true) : undefined;
  if (foreign !== undefined) throw new SluiceError('not_found', { param: foreign.path, values: { what: 'object' } });
}
