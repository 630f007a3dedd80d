/** A dataset with its size. */
export interface DatasetRow {
  readonly id: string;
  readonly name: string;
  readonly items: number;
  readonly bytes: string;
  /** Milliseconds since the epoch. */
  readonly created_ms: string;
  readonly updated_ms: string;
}

/** The length of an item's content. */
export interface ItemLength {
  readonly id: string;
  /** Before it is compressed. */
  readonly bytes: number;
}

/** An item without its content. */
export interface ItemHead {
  readonly id: string;
  readonly dataset_id: string;
  readonly position: number;
  readonly event_id: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly created_ms: string;
}

export interface ItemRow extends ItemHead {
  readonly content: Buffer;
  readonly wrapped_key: Buffer;
}

const milliseconds = (name: 'created' | 'updated'): string =>
  `(extract(epoch from ${name}_at) * 1000)::bigint as ${name}_ms`;

const size = (expression: string): string =>
  `(select ${expression} from dataset_items where dataset_items.dataset_id = datasets.id)`;

export const datasetColumns = `id, name, ${milliseconds('created')}, ${milliseconds('updated')},
  ${size('count(*)::int')} as items, ${size('coalesce(sum(bytes), 0)::bigint')} as bytes`;

/** As `ItemHead` has them. */
export const itemHead = `id, dataset_id, position, event_id, bytes, ${milliseconds('created')}`;
/** As `ItemRow` has them. */
export const itemRow = `${itemHead}, content, wrapped_key`;

/** Datasets after a position (`$3`, `$4`), newest first unless backwards. */
export function pageOfDatasets(backwards: boolean): string {
  const [beyond, order] = backwards ? ['>', 'asc'] : ['<', 'desc'];
  return `
select ${datasetColumns} from datasets
where account_id = $1 and ($3::timestamptz is null or (created_at, id) ${beyond} ($3, $4::uuid))
order by created_at ${order}, id ${order} limit $2`;
}

/** Lengths of items. */
export const lengthsById = 'select id, bytes from dataset_items where account_id = $1 and id = any($2::uuid[])';

/** Items after a position (`$4`): at most `$3`, and no more once they have `$5` bytes, but always the first. Without content. */
export function pageOfItems(backwards: boolean): string {
  const [beyond, order] = backwards ? ['<', 'desc'] : ['>', 'asc'];
  return `
select id, bytes, more from (
  select first_items.*, sum(bytes) over (order by position ${order}) as bytes_until, count(*) over () as found,
    row_number() over (order by position ${order}) as place
  from (
    select id, bytes, position from dataset_items
    where account_id = $1 and dataset_id = $2 and ($4::int is null or position ${beyond} $4)
    order by position ${order} limit $3 + 1
  ) first_items
) page
cross join lateral (select found > place as more) rest
where place <= $3 and (place = 1 or bytes_until <= $5)
order by position ${order}`;
}

/** The items of account `$1`, and the bytes of them and of runs. */
export const usage = `
select count(*)::int as items, (coalesce(sum(bytes), 0)
  + (select coalesce(sum(bytes), 0) from dataset_runs where account_id = $1))::bigint as bytes
from dataset_items where account_id = $1`;

export const lockAccount = `
select zero_retention from accounts where id = $1 and erased_at is null for update`;

export const lockDataset = 'select id, name, next_position from datasets where id = $1 and account_id = $2 for update';

/** Those that the dataset has already are left out. */
export const insertItem = `
insert into dataset_items (id, account_id, dataset_id, position, event_id, bytes, content, wrapped_key, created_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (dataset_id, event_id) do nothing`;
