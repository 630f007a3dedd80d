import { SluiceError } from '../../../errors/index.ts';
import type { KeyRecord } from '../../../gateway/keys/key-directory.ts';
import { responseNames } from '../../../services/responses/response-id.ts';
import type { ResponseRouteDependencies } from '../route-dependencies.ts';

/**
 * Checks that a client may continue a response: one that a provider's socket holds for it, or one that is stored here or at a
 * provider.
 * @param held by sockets to providers, by the responses' ids
 * @throws SluiceError previous_response_not_found | database_unavailable
 */
export async function requireKnown(
  { access, earlier, objects }: Pick<ResponseRouteDependencies, 'access' | 'earlier' | 'objects'>,
  held: ReadonlyMap<string, string>,
  key: KeyRecord,
  id: string,
): Promise<void> {
  if (held.has(id)) return;
  const reach = await access.reachOf(key, 'responses.read');
  if (responseNames.read(id) !== null) {
    await earlier.conversation(reach, id);
    return;
  }
  if ((await objects.find(reach, [id])).has(id)) return;
  const values = { id: id.slice(0, 100) };
  throw new SluiceError('previous_response_not_found', { param: 'previous_response_id', values });
}
