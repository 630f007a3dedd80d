import { SluiceError } from '../../../errors/index.ts';
import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import type { Call, OpenRequest } from '../../call.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { ObjectReach } from '../../keys/object-reach.ts';
import type { Pipeline } from '../../pipeline.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import type { ClientProtocol } from './client-protocol.ts';
import { responseOf } from './protocol-response.ts';
import { TextCapability } from './text-capability.ts';
import type { ObtainedObjects, TextCall } from './text-request.ts';

/** The objects at providers that clients obtained. */
export interface ClientObjects {
  /** The connections that hold them, by the objects' ids. @throws SluiceError database_unavailable */
  find(reach: ObjectReach, objectIds: readonly string[]): Promise<Map<string, string>>;
  /** Stores them without waiting. */
  record(objects: ObtainedObjects & { readonly accountId: string; readonly apiKeyId: string }): void;
  /** Those that a key may name. */
  reachOf(key: KeyRecord): Promise<ObjectReach>;
}

export interface TextDependencies {
  readonly pipeline: Pipeline;
  /** Absent where no objects are stored: none may be named on connections that accounts share then. */
  readonly objects?: ClientObjects;
}

/**
 * Runs a request of a client protocol. A promise only where it names objects that have to be looked up.
 * @throws SluiceError invalid_value for objects that different connections hold, database_unavailable; others go to the response
 */
export function openText<Settings>(
  deps: TextDependencies,
  protocol: ClientProtocol<Settings>,
  text: TextCall,
  call: Call,
  input: RequestInput,
): OpenRequest | Promise<OpenRequest> {
  const { pipeline, objects } = deps;
  const asked = objects === undefined ? null : objectsToFind(pipeline, protocol, text, call, input);
  if (objects === undefined || asked === null) return open(deps, protocol, text, call, input);
  return findHeld(objects, call.key, asked).then(({ connectionId, ids }) => {
    if (connectionId === null) return open(deps, protocol, text, call, input);
    return open(deps, protocol, { ...text, objects: ids }, { ...call, connectionId }, input);
  });
}

function open<Settings>(
  { pipeline, objects }: TextDependencies,
  protocol: ClientProtocol<Settings>,
  text: TextCall,
  call: Call,
  input: RequestInput,
): OpenRequest {
  const capability = new TextCapability(protocol, text);
  const { id: apiKeyId, accountId } = call.key;
  const onRelayed = (): void => {
    const { obtained } = capability;
    if (obtained !== null) objects?.record({ accountId, apiKeyId, ...obtained });
  };
  const records = objects !== undefined && protocol.obtainedObjects !== undefined;
  const response = responseOf(protocol, capability, call, records ? onRelayed : undefined);
  return pipeline.open(capability, { ...call, response }, input);
}

interface NamedByRequest {
  readonly named: readonly NamedObject[];
  /** The connections that may serve the request. */
  readonly connectionIds: ReadonlySet<string>;
}

/** Null where nothing has to be found: also for an invalid request, which the pipeline refuses. */
function objectsToFind<Settings>(
  { dependencies: { router } }: Pipeline,
  { providerObjects, modelName }: ClientProtocol<Settings>,
  { model }: TextCall,
  { key }: Call,
  input: RequestInput,
): NamedByRequest | null {
  if (providerObjects === undefined || !Buffer.isBuffer(input) || !providerObjects.mayName(input)) return null;
  try {
    const value = valueOf(input);
    const named = providerObjects.named(value);
    if (named.length === 0) return null;
    const listed = router.resolve(model ?? modelName(value), key.accountId)?.listed ?? [];
    // On connections of its own, an account may name any object.
    if (!listed.some(({ connection: { id, provider } }) => id === provider)) return null;
    return { named, connectionIds: new Set(listed.map(({ connection }) => connection.id)) };
  } catch {
    return null;
  }
}

/** The only connection that can serve the request, and which of its objects it holds. */
async function findHeld(
  objects: ClientObjects,
  key: KeyRecord,
  { named, connectionIds }: NamedByRequest,
): Promise<{ connectionId: string | null; ids: ReadonlySet<string> }> {
  const found = await objects.find(
    await objects.reachOf(key),
    named.map(({ id }) => id),
  );
  const held = [...found].filter(([, holder]) => connectionIds.has(holder));
  const [connectionId = null, ...others] = new Set(held.map(([, holder]) => holder));
  if (others.length > 0)
    throw new SluiceError('invalid_value', {
      param: named[0]?.path,
      values: { reason: 'the request names objects that different providers hold.' },
    });
  return { connectionId, ids: new Set(held.map(([id]) => id)) };
}
