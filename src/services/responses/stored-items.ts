import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import { readItemId, readResponseId } from './response-id.ts';
import type { ObjectReach } from '../../gateway/keys/object-reach.ts';
import type { ResponseStatus } from '../../gateway/capabilities/responses/response-object.ts';
import type { ResponseRow } from './response-rows.ts';
import type { UnstoredResponses } from './unstored-responses.ts';

export interface StoredItemsDependencies {
  readonly database: Pick<Database, 'query'>;
  readonly unstored: Pick<UnstoredResponses, 'find'>;
  /** Maximum size of a conversation as JSON, which is held in memory. 64 MiB where absent. */
  readonly maxBytes?: number;
}

const PARAM = 'previous_response_id';
const MAX_RESPONSES = 1_000;
const MAX_BYTES = 67_108_864;
/** Only these statuses can be continued. */
const answered: ReadonlySet<ResponseStatus> = new Set(['completed', 'incomplete']);

type Items = readonly object[];

interface Link {
  readonly status: ResponseStatus;
  readonly input: Items;
  readonly output: Items;
  /** Whether the stored part of the conversation is within the limits; it is not read otherwise. */
  readonly fits: boolean;
}

const bytes = '(octet_length(input::text) + octet_length(response::text))::bigint';
/** Follows the chain back from a response; one step beyond a limit shows that it is exceeded. A deleted response ends it. */
const chain = `
with recursive chain as (
  select id, previous_id, 1 as place, ${bytes} as bytes from responses
  where account_id = $1 and id = $2 and ($5::uuid is null or api_key_id = $5)
  union all
  select earlier.id, earlier.previous_id, chain.place + 1, chain.bytes + ${bytes}
  from chain join responses as earlier on earlier.account_id = $1 and earlier.id = chain.previous_id
  where ($5::uuid is null or earlier.api_key_id = $5) and chain.place <= $3 and chain.bytes <= $4
),
whole as (select max(place) <= $3 and max(bytes) <= $4 as fits from chain)
select status, fits, case when fits then input else '[]' end as input,
  case when fits then coalesce(response -> 'output', '[]') else '[]' end as output
from chain join responses using (id) cross join whole order by place`;

/** Each response is read once for all of its requested items. */
const single = `
with read as materialized (
  select id, response -> 'output' as output from responses
  where account_id = $1 and id = any($3::uuid[]) and ($5::uuid is null or api_key_id = $5)
)
select name, output -> place as item
from unnest($2::text[], $3::uuid[], $4::int[]) as wanted(name, id, place) join read using (id)
where output -> place ->> 'id' = name`;

/** Items of accessible responses, stored or pending. */
export class StoredItems {
  readonly #dependencies: Required<StoredItemsDependencies>;

  constructor(dependencies: StoredItemsDependencies) {
    this.#dependencies = { maxBytes: MAX_BYTES, ...dependencies };
  }

  /** @throws SluiceError previous_response_not_found | invalid_value for a conversation that is too long */
  async conversation(reach: ObjectReach, publicId: string, maxItems: number): Promise<object[]> {
    const { database, unstored, maxBytes } = this.#dependencies;
    const links: Link[] = [];
    let next = readResponseId(publicId);
    while (next !== null) {
      const row = unstored.find(reach, next);
      if (row === null) break;
      links.push({ status: row.status, input: row.input, output: outputOf(row), fits: true });
      next = row.previous_id;
    }
    if (next !== null) {
      const values = [reach.accountId, next, Math.max(0, MAX_RESPONSES - links.length), maxBytes, reach.apiKeyId];
      links.push(...(await database.query<Link>(chain, values)));
    }
    const [latest] = links;
    if (latest === undefined || !answered.has(latest.status))
      throw new SluiceError('previous_response_not_found', { param: PARAM, values: { id: publicId } });
    if (links.some(({ fits }) => !fits) || links.length > MAX_RESPONSES) throw tooLong(maxItems);
    const items = links.toReversed().flatMap(({ input, output }) => [...input, ...output]);
    if (items.length > maxItems) throw tooLong(maxItems);
    return items;
  }

  /** By id; those that do not exist are omitted. */
  async named(reach: ObjectReach, itemIds: readonly string[]): Promise<Map<string, object>> {
    const found = new Map<string, object>();
    const wanted = { names: new Array<string>(), ids: new Array<string>(), places: new Array<number>() };
    const looked = new Map<string, ResponseRow | null>();
    for (const name of new Set(itemIds)) {
      const place = readItemId(name);
      if (place === null) continue;
      const { responseId, index } = place;
      const row = looked.get(responseId) ?? this.#dependencies.unstored.find(reach, responseId);
      looked.set(responseId, row);
      const item = row === null ? undefined : outputOf(row)[index];
      if (item !== undefined && 'id' in item && item.id === name) found.set(name, item);
      if (row !== null) continue;
      wanted.names.push(name);
      wanted.ids.push(responseId);
      wanted.places.push(index);
    }
    if (wanted.names.length === 0) return found;
    const values = [reach.accountId, wanted.names, wanted.ids, wanted.places, reach.apiKeyId];
    const rows = await this.#dependencies.database.query<{ name: string; item: object }>(single, values);
    for (const { name, item } of rows) found.set(name, item);
    return found;
  }
}

function outputOf({ response }: ResponseRow): Items {
  const { output } = response;
  return Array.isArray(output) ? output : [];
}

function tooLong(maxItems: number): SluiceError {
  const limit = `${maxItems} items or ${MAX_RESPONSES} responses`;
  const reason = `the conversation up to it has more than ${limit}, or is too large. Send what matters of it as input.`;
  return new SluiceError('invalid_value', { param: PARAM, values: { reason } });
}
