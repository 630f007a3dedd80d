import { Field, Int, ObjectType, ArgsType } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';

const LARGEST_PAGE = 100;
const USUAL_PAGE = 25;

@ObjectType({ description: 'Where a page stands among the others.' })
export class PageInfo {
  @Field(() => Boolean)
  hasNextPage!: boolean;

  @Field(() => Boolean)
  hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true })
  startCursor!: string | null;

  @Field(() => String, { nullable: true })
  endCursor!: string | null;
}

@ArgsType()
export class ForwardPageArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'How many, from the start or after `after`: up to 100, 25 where absent.',
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'The cursor behind which the page begins.' })
  after?: string | null;
}

@ArgsType()
export class PageArgs extends ForwardPageArgs {
  @Field(() => Int, { nullable: true, description: 'How many, from the end or before `before`: up to 100.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'The cursor before which the page ends.' })
  before?: string | null;
}

/** @throws SluiceError bad_user_input */
export function pageSize(name: 'first' | 'last', size: number | null | undefined): number {
  const asked = size ?? USUAL_PAGE;
  if (asked < 1 || asked > LARGEST_PAGE)
    throw new SluiceError('bad_user_input', {
      param: name,
      values: { reason: `${name}: must be 1 to ${LARGEST_PAGE}` },
    });
  return asked;
}

/** A position as an opaque cursor. */
export function toCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** @throws SluiceError bad_user_input */
export function fromCursor(cursor: string, length: number): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor.slice(0, 500), 'base64url').toString());
    if (Array.isArray(parts) && parts.length === length && parts.every((part) => typeof part === 'string'))
      return parts;
  } catch {
    // Told below, like any other cursor that is none.
  }
  throw new SluiceError('bad_user_input', { param: 'after', values: { reason: 'this cursor is none of ours' } });
}

/** A time and an id, the position in most orders. @throws SluiceError bad_user_input */
export function fromTimeCursor(cursor: string): { at: Date; id: string } {
  const [time = '', id = ''] = fromCursor(cursor, 2);
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !/^[0-9a-f-]{36}$/.test(id))
    throw new SluiceError('bad_user_input', { param: 'after', values: { reason: 'this cursor is none of ours' } });
  return { at, id };
}
