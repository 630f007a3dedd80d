import { SluiceError } from '../../../errors/index.ts';
import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { ObjectReach } from '../../keys/object-reach.ts';
import type { Router } from '../../routing/resolved-route.ts';
import { commonHolder, type ObjectHolders } from '../foreign-objects.ts';
import type { ObtainedObjects } from './text-request.ts';

/** The objects at providers that clients obtained. */
export interface ClientObjects {
  /** The connections that hold them, by the objects' ids. @throws SluiceError database_unavailable */
  find(reach: ObjectReach, objectIds: readonly string[]): Promise<ObjectHolders>;
  /** Stores them without waiting. */
  record(objects: ObtainedObjects & { readonly accountId: string; readonly apiKeyId: string }): void;
  /** Those that a key may name. */
  reachOf(key: KeyRecord): Promise<ObjectReach>;
}

/** The objects of a request that a connection holds for its client. */
export interface HeldObjects {
  /** The only connection that can serve the request; null where none holds any. */
  readonly connectionId: string | null;
  readonly holders: ObjectHolders;
}

/**
 * Looks up what a request names; null where nothing has to be looked up.
 * @throws SluiceError invalid_value for objects that different connections hold, database_unavailable
 */
export function findHeld(
  objects: ClientObjects,
  router: Router,
  key: KeyRecord,
  { model, named }: { readonly model: string; readonly named: readonly NamedObject[] },
): Promise<HeldObjects> | null {
  if (named.length === 0) return null;
  const listed = router.resolve(model, key)?.listed ?? [];
  // On connections of its own, an account may name any object.
  if (!listed.some(({ connection: { id, provider } }) => id === provider)) return null;
  return lookUp(objects, key, named, new Set(listed.map(({ connection }) => connection.id)));
}

/** @param connectionIds of the connections that may serve the request */
async function lookUp(
  objects: ClientObjects,
  key: KeyRecord,
  named: readonly NamedObject[],
  connectionIds: ReadonlySet<string>,
): Promise<HeldObjects> {
  const found = await objects.find(
    await objects.reachOf(key),
    named.map(({ id }) => id),
  );
  const held = new Map([...found].filter(([, holders]) => holders.some((holder) => connectionIds.has(holder))));
  if (held.size === 0) return { connectionId: null, holders: held };
  const connectionId = commonHolder(held.values(), connectionIds);
  if (connectionId === undefined)
    throw new SluiceError('invalid_value', {
      param: named[0]?.path,
      values: { reason: 'the request names objects that different providers hold.' },
    });
  return { connectionId, holders: held };
}
