import { z } from 'zod';
import type { Connection } from '../../../providers/contract.ts';
import { bareItems } from '../../../protocols/responses/decode-request/bare-items.ts';
import { objectRules } from '../../../protocols/responses/decode-request/object-rules.ts';
import { namedObjects } from '../../../protocols/responses/provider-objects.ts';
import type { ObjectReach } from '../../keys/object-reach.ts';
import { objectIn } from '../../request-input.ts';
import { refuseForeignObjects, type ObjectHolders } from '../foreign-objects.ts';
import { knownMembers } from '../known-members.ts';
import { assertMemberNames } from '../member-names.ts';

/** Of a body that no schema here defines. */
const bodyMembers = knownMembers(z.looseObject({}), {}, objectRules);

/** Finds connections by their id. */
export interface ConnectionSource {
  /** One of the operator or of the account; undefined where it is gone. */
  connection(id: string, accountId: string): Connection | undefined;
}

export interface HeldResponseDependencies {
  readonly objects: { find(reach: ObjectReach, objectIds: readonly string[]): Promise<ObjectHolders> };
  readonly connections: ConnectionSource;
}

/**
 * The connection that holds a response for a client; null where the client has not obtained it.
 * @throws SluiceError database_unavailable
 */
export async function holderOf(
  { objects, connections }: HeldResponseDependencies,
  reach: ObjectReach,
  id: string,
): Promise<Connection | null> {
  for (const connectionId of (await objects.find(reach, [id])).get(id) ?? []) {
    const connection = connections.connection(connectionId, reach.accountId);
    if (connection?.sendObject !== undefined) return connection;
  }
  return null;
}

/** @throws SluiceError not_found, naming the member, for an object at the provider that the client may not name | duplicate_parameter | misspelled_parameter | invalid_json */
export async function requireObtained(
  objects: HeldResponseDependencies['objects'],
  reach: ObjectReach,
  connection: Connection,
  body: Buffer,
): Promise<void> {
  const value = objectIn(body);
  assertMemberNames(body, bodyMembers);
  const providerObjects = [...namedObjects(value), ...bareItems(value)];
  if (providerObjects.length === 0) return;
  const ids = providerObjects.map(({ id }) => id);
  refuseForeignObjects(connection, providerObjects, await objects.find(reach, ids));
}
