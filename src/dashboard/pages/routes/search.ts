import { nonEmptyText, type UntrustedSearch } from '../../data/search.ts';

export interface RoutesSearch {
  /** The previewed route or model. */
  readonly preview?: string;
  readonly input?: number;
  readonly output?: number;
  readonly user?: string;
  /** The route that is being changed. */
  readonly edit?: string;
  readonly create?: true;
  /** The name of the route that is created. */
  readonly name?: string;
}

export function routesSearch(input: UntrustedSearch): RoutesSearch {
  return {
    preview: nonEmptyText(input.preview),
    input: tokens(input.input),
    output: tokens(input.output),
    user: nonEmptyText(input.user),
    edit: nonEmptyText(input.edit),
    create: input.create === true ? true : undefined,
    name: nonEmptyText(input.name),
  };
}

function tokens(value: unknown): number | undefined {
  const number = Number(value);
  return value !== '' && Number.isInteger(number) && number >= 0 ? number : undefined;
}
