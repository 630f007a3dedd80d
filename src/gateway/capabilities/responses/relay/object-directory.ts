import type { ObjectReach } from '../../../keys/object-reach.ts';
import type { ObjectHolders } from '../../foreign-objects.ts';
import type { ObtainedObjects } from '../../text/text-request.ts';

/** Which objects at providers a client obtained. */
export interface ObjectDirectory {
  /** The connections that hold them, by the objects' ids. @throws SluiceError database_unavailable */
  find(reach: ObjectReach, objectIds: readonly string[]): Promise<ObjectHolders>;
  record(objects: ObtainedObjects & { readonly accountId: string; readonly apiKeyId: string }): void;
}
