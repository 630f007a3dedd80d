import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import type { Call, OpenRequest } from '../../call.ts';
import type { Pipeline } from '../../pipeline.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import type { ClientProtocol } from './client-protocol.ts';
import { findHeld, type ClientObjects } from './held-objects.ts';
import { responseOf } from './protocol-response.ts';
import { TextCapability } from './text-capability.ts';
import type { TextCall } from './text-request.ts';

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
  const asked = objects === undefined ? null : objectsToFind(protocol, text, input);
  const { router } = pipeline.dependencies;
  const held = objects === undefined || asked === null ? null : findHeld(objects, router, call.key, asked);
  if (held === null) return open(deps, protocol, text, call, input);
  return held.then(({ connectionId, holders }) => {
    if (connectionId === null) return open(deps, protocol, text, call, input);
    return open(deps, protocol, { ...text, objects: holders }, { ...call, connectionId }, input);
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

/** Null where nothing has to be found: also for an invalid request, which the pipeline refuses. */
function objectsToFind<Settings>(
  { providerObjects, modelName }: ClientProtocol<Settings>,
  { model }: TextCall,
  input: RequestInput,
): { readonly model: string; readonly named: readonly NamedObject[] } | null {
  if (providerObjects === undefined || !Buffer.isBuffer(input) || !providerObjects.mayName(input)) return null;
  try {
    const value = valueOf(input);
    return { named: providerObjects.named(value), model: model ?? modelName(value) };
  } catch {
    return null;
  }
}
