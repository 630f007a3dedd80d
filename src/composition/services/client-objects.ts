import type { ClientObjects } from '../../gateway/capabilities/text/held-objects.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { ProviderObjectsService } from '../../services/provider-objects/provider-objects.service.ts';

/** The objects at providers that keys may name: a key with the scope `read` those of its account, others their own. */
export function clientObjects(objects: ProviderObjectsService, callers: Callers): ClientObjects {
  return {
    find: (reach, ids) => objects.find(reach, ids),
    record: (obtained) => objects.record(obtained),
    reachOf: (key) => callers.reachOf(key, 'responses.read'),
  };
}
