import { membersOf, textOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import { itemsOf } from '../../../../protocols/responses/decode-request.ts';
import { isSealedHere } from '../../../../protocols/responses/encrypted-content/content-seal.ts';
import { memberValue, withMembers } from '../../../../providers/shared/http/request-body.ts';
import type { KeyRecord } from '../../../keys/key-directory.ts';
import type { ObjectReach } from '../../../keys/object-reach.ts';
import type { Pipeline } from '../../../pipeline.ts';
import type { EarlierItems } from '../earlier-items.ts';
import type { ResponseNames } from '../response-names.ts';

/** A request with earlier items before its own, and without `previous_response_id`. Its other bytes are the client's. */
export interface ExtendedRequest {
  readonly body: Buffer;
  readonly value: JsonObject;
}

/** A request that continues a response which is stored here, for a provider that stores none. */
export interface ContinuedRequest extends ExtendedRequest {
  /** The response that it continues: a UUID. */
  readonly previousId: string;
  /** The same, by its public id. */
  readonly publicId: string;
}

export interface ContinuationDependencies {
  readonly pipeline: Pipeline;
  readonly names: ResponseNames;
  readonly earlier: Pick<EarlierItems, 'conversation'>;
  reachOf(key: KeyRecord): Promise<ObjectReach>;
}

/** Whether all targets of a model receive requests as they are, and store none. */
function isUnstored({ dependencies: { router } }: Pipeline, model: string, key: KeyRecord): boolean {
  const listed = router.resolve(model, key)?.listed ?? [];
  return listed.every(
    ({ connection, upstreamModel }) =>
      connection.storesResponses === false && (connection.native?.('responses', upstreamModel) ?? null) !== null,
  );
}

/**
 * @returns null where a target stores responses itself or has another protocol, and where an item contains what only Sluice can
 * decrypt: the request is converted then
 * @throws SluiceError previous_response_not_found | database_unavailable
 */
export async function continuedRequest(
  deps: ContinuationDependencies,
  key: KeyRecord,
  body: Buffer,
  value: JsonObject,
): Promise<ContinuedRequest | null> {
  const publicId = textOf(value.previous_response_id);
  const previousId = publicId === null ? null : deps.names.read(publicId);
  if (publicId === null || previousId === null) return null;
  if (!isUnstored(deps.pipeline, textOf(value.model) ?? '', key)) return null;
  const own = itemsOf(value.input);
  if (!Array.isArray(own) || own.some((item) => membersOf(item).type === 'item_reference')) return null;
  const before = await deps.earlier.conversation(await deps.reachOf(key), publicId);
  if (before.some((item) => isSealedHere(membersOf(item).encrypted_content))) return null;
  return { ...withEarlierItems(body, value, before, own), previousId, publicId };
}

/** @param own items of the body's input */
export function withEarlierItems(
  body: Buffer,
  value: JsonObject,
  before: readonly object[],
  own: readonly unknown[],
): ExtendedRequest {
  const { previous_response_id: _previous, ...others } = value;
  return {
    body: withMembers(body, { input: joined(before, ownItems(body, own)), previous_response_id: null }),
    value: { ...others, input: [...before, ...own] },
  };
}

/** As the client wrote them, if it wrote a list. */
function ownItems(body: Buffer, own: readonly unknown[]): string {
  const written = memberValue(body, 'input')?.toString() ?? '';
  return written.startsWith('[') ? written.slice(1, -1).trim() : JSON.stringify(own).slice(1, -1);
}

function joined(before: readonly object[], own: string): string {
  const earlier = JSON.stringify(before).slice(1, -1);
  return `[${[earlier, own].filter((items) => items !== '').join(',')}]`;
}
