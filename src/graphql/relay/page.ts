import { Field, Int, ObjectType, ArgsType } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import { Cursor } from '../scalars/cursor.ts';

export const MAX_PAGE_SIZE = 100;
export const DEFAULT_PAGE_SIZE = 25;

@ObjectType({ description: 'Pagination information.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are more items after this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether there are more items before this page.' })
  hasPreviousPage!: boolean;

  @Field(() => Cursor, { nullable: true, description: 'The cursor of the first edge. Null if the page is empty.' })
  startCursor!: string | null;

  @Field(() => Cursor, {
    nullable: true,
    description: 'The cursor of the last edge. Pass it as `after` to get the next page. Null if the page is empty.',
  })
  endCursor!: string | null;
}

@ArgsType()
export class PageArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'Number of items from the start, or after `after`. Maximum 100, default 25.',
  })
  first?: number | null;

  @Field(() => Cursor, { nullable: true, description: 'Returns the items after this cursor.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'Number of items from the end, or before `before`. Maximum 100.' })
  last?: number | null;

  @Field(() => Cursor, { nullable: true, description: 'Returns the items before this cursor.' })
  before?: string | null;
}

/** A page in either direction. */
export interface PageRequest {
  readonly limit: number;
  /** The cursor that the page starts after, in its direction; null for the first page. */
  readonly from: string | null;
  /** From the end to the start. */
  readonly backwards: boolean;
}

/** @throws SluiceError bad_user_input for arguments of both directions */
export function pageRequest({ first, after, last, before }: PageArgs): PageRequest {
  const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
  const backwards = isGiven(last) || (isGiven(before) && !isGiven(first));
  if (backwards ? isGiven(first) || isGiven(after) : isGiven(before))
    throw new SluiceError('bad_user_input', {
      param: 'first',
      values: { reason: 'Use either `first` and `after`, or `last` and `before`.' },
    });
  return backwards
    ? { limit: pageSize('last', last), from: before ?? null, backwards }
    : { limit: pageSize('first', first), from: after ?? null, backwards };
}

interface Page<Row> {
  /** In the requested direction. */
  readonly rows: readonly Row[];
  /** Whether there are more in that direction. */
  readonly hasMore: boolean;
}

interface Connection<Node> {
  readonly edges: { readonly cursor: string; readonly node: Node }[];
  readonly nodes: Node[];
  readonly pageInfo: PageInfo;
}

/** A Relay connection: always in the list's order, independent of the requested direction. */
export function toConnection<Row, Node>(
  { rows, hasMore }: Page<Row>,
  { from, backwards }: PageRequest,
  toEdge: (row: Row) => { readonly cursor: string; readonly node: Node },
): Connection<Node> {
  const edges = (backwards ? rows.toReversed() : rows).map(toEdge);
  const isBehind = from !== null;
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: backwards ? isBehind : hasMore,
      hasPreviousPage: backwards ? hasMore : isBehind,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** @throws SluiceError bad_user_input */
export function pageSize(name: 'first' | 'last', size: number | null | undefined): number {
  const requested = size ?? DEFAULT_PAGE_SIZE;
  if (requested < 1 || requested > MAX_PAGE_SIZE)
    throw new SluiceError('bad_user_input', {
      param: name,
      values: { reason: `${name}: must be 1 to ${MAX_PAGE_SIZE}` },
    });
  return requested;
}

/** A position as an opaque cursor. */
export function toCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @param backwards whether it is `before` @throws SluiceError bad_user_input */
export function fromCursor(cursor: string, length: number, backwards: boolean): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor.slice(0, 500), 'base64url').toString());
    if (Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === 'string'))
      return parts;
  } catch {
    // Refused below, like any other invalid cursor.
  }
  throw invalidCursor(backwards);
}

export function invalidCursor(backwards: boolean): SluiceError {
  const param = backwards ? 'before' : 'after';
  return new SluiceError('bad_user_input', { param, values: { reason: 'The cursor is not valid for this list.' } });
}

/** A cursor of a time and an ID. @param backwards whether it is `before` @throws SluiceError bad_user_input */
export function fromTimeCursor(cursor: string, backwards: boolean): { at: Date; id: string } {
  const [time = '', id = ''] = fromCursor(cursor, 2, backwards);
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !/^[0-9a-f-]{36}$/.test(id)) throw invalidCursor(backwards);
  return { at, id };
}
