import { SluiceError } from '../../../../errors/index.ts';
import { isObject, listOf, membersOf, objectsOf } from '../../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../../protocols/canonical/protocol.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { namedObjects } from '../../../../protocols/responses/provider-objects.ts';
import type { HeaderMap } from '../../../../providers/contract.ts';
import { withMembers } from '../../../../providers/shared/http/request-body.ts';
import type { Call } from '../../../call.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ObjectReach } from '../../../keys/object-reach.ts';
import type { Pipeline } from '../../../pipeline.ts';
import { valueOf, type RequestInput } from '../../../request-input.ts';
import type { ObtainedObjects } from '../../text/text-request.ts';
import { isRelayable, type RelayableRequest } from './relayed-response.ts';
import type { ResponseNames } from '../response-names.ts';
import type { NewResponse } from '../background/run-store.ts';

/** Which objects at providers a client obtained. */
export interface ObjectDirectory {
  /** The connections that hold them, by the objects' ids. @throws SluiceError database_unavailable */
  find(reach: ObjectReach, objectIds: readonly string[]): Promise<Map<string, string>>;
  record(objects: ObtainedObjects & { readonly accountId: string; readonly apiKeyId: string }): void;
}

export interface RelayDependencies {
  readonly pipeline: Pipeline;
  readonly objects: ObjectDirectory;
  readonly names: ResponseNames;
  reachOf(key: KeyRecord): Promise<ObjectReach>;
  /** Stores a converted response. */
  store(response: NewResponse): void;
}

const endedStatuses = ['completed', 'incomplete', 'failed'] as const;

/** Headers of OpenAI's clients that belong to the protocol. Sources: OpenAI's API reference; requests of Codex 0.169. */
const forwarded: ReadonlySet<string> = new Set([
  'openai-beta',
  'originator',
  'session-id',
  'thread-id',
  'x-client-request-id',
]);
const forwardedPrefix = /^x-(?:codex|openai-internal-codex)-/;

/**
 * The request as a provider of its protocol may receive it; null where none serves its model, where it runs in the background,
 * where it continues a response that is stored here, and where it contains what only Sluice can decrypt.
 * @throws SluiceError not_found | invalid_value | database_unavailable
 */
export async function relayable(
  deps: RelayDependencies,
  call: Call,
  headers: HeaderMap,
  body: RequestInput,
): Promise<RelayableRequest | null> {
  const value = valueOf(body);
  if (!Buffer.isBuffer(body) || !isObject(value) || typeof value.model !== 'string') return null;
  const { model } = value;
  if (value.background === true || !isRelayable(deps.pipeline, model, call.key.accountId)) return null;
  if (listOf(value.input).some((item) => isSealedHere(membersOf(item).encrypted_content))) return null;
  const named = namedObjects(value);
  if (named.some(({ id }) => deps.names.read(id) !== null || deps.names.isItem(id))) return null;
  const found = named.length === 0 ? new Map<string, string>() : await ownObjects(deps, call, named);
  const isStored = value.store !== false && call.key.zeroRetention !== true;
  const { id: apiKeyId, accountId } = call.key;
  return {
    call: withConnection(call, found),
    input: isStored || value.store === false ? body : withMembers(body, { store: 'false' }),
    headers: forwardedHeaders(headers),
    objects: new Set(found.keys()),
    names: deps.names,
    named,
    isStored,
    keep(request, response, costNano) {
      if (!isStored) return;
      const { eventId: id, key } = call;
      const { input } = request;
      deps.store({ id, key, model, input, previousId: null, response, costNano });
    },
    keepRelayed(response, costNano) {
      const status = endedStatuses.find((name) => name === response.status);
      if (status === undefined) return;
      const input = objectsOf(itemsOf(value.input));
      const { eventId: id, key } = call;
      deps.store({ id, key, model, input, previousId: null, response: { ...response, status }, costNano });
    },
    onObtained: (obtained) => deps.objects.record({ accountId, apiKeyId, ...obtained }),
  };
}

async function ownObjects(
  { objects, reachOf }: RelayDependencies,
  { key }: Call,
  named: readonly NamedObject[],
): Promise<Map<string, string>> {
  const ids = named.map(({ id }) => id);
  return objects.find(await reachOf(key), ids);
}

/** Only the connection that holds the objects can serve a request that names them. */
function withConnection(call: Call, found: ReadonlyMap<string, string>): Call {
  const [connectionId, ...others] = new Set(found.values());
  if (connectionId === undefined) return call;
  if (others.length > 0)
    throw new SluiceError('invalid_value', {
      param: 'input',
      values: { reason: 'it names objects that different providers hold.' },
    });
  return { ...call, connectionId };
}

/** Names and values in turn. */
function forwardedHeaders(headers: HeaderMap): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && (forwarded.has(name) || forwardedPrefix.test(name)) ? [name, value] : [],
  );
}
