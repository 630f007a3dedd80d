import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import type { Call, OpenRequest } from '../../call.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { Pipeline } from '../../pipeline.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import { hasString } from '../../../providers/shared/json/strings/long-strings.ts';
import type { ClientProtocol } from './client-protocol.ts';
import { findHeld, type ClientObjects, type HeldObjects } from './held-objects.ts';
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
  const held = heldObjects(deps, protocol, text, call.key, input);
  if (held === null) return open(deps, protocol, text, call, input);
  return held.then(({ connectionId, holders }) => {
    if (connectionId === null) return open(deps, protocol, text, call, input);
    return open(deps, protocol, { ...text, objects: holders }, { ...call, connectionId }, input);
  });
}

/** A request whose objects at the provider are looked up, and which does not run. */
export interface NamingRequest {
  readonly text: TextCall;
  readonly key: KeyRecord;
  readonly input: RequestInput;
}

/**
 * What a request of a client protocol needs so that a provider receives it which holds what it names.
 * @throws SluiceError invalid_value for objects that different connections hold, database_unavailable
 */
export async function heldCall<Settings>(
  deps: TextDependencies,
  protocol: ClientProtocol<Settings>,
  { text, key, input }: NamingRequest,
): Promise<TextCall & { readonly connectionId?: string }> {
  const held = await heldObjects(deps, protocol, text, key, input);
  if (held === null || held.connectionId === null) return text;
  return { ...text, objects: held.holders, connectionId: held.connectionId };
}

/** Null where nothing has to be looked up. */
function heldObjects<Settings>(
  { pipeline, objects }: TextDependencies,
  protocol: ClientProtocol<Settings>,
  text: TextCall,
  key: KeyRecord,
  input: RequestInput,
): Promise<HeldObjects> | null {
  const asked = objects === undefined ? null : objectsToFind(protocol, text, input);
  const { router } = pipeline.dependencies;
  return objects === undefined || asked === null ? null : findHeld(objects, router, key, asked);
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
  if (providerObjects === undefined || !Buffer.isBuffer(input)) return null;
  if (!providerObjects.mayName((quoted) => hasString(input, quoted))) return null;
  try {
    const value = valueOf(input);
    return { named: providerObjects.named(value), model: model ?? modelName(value) };
  } catch {
    return null;
  }
}
