import { text, type Given } from '../../data/search.ts';

export interface RoutesSearch {
  /** The previewed route or model. */
  readonly preview?: string;
  readonly input?: number;
  readonly output?: number;
  readonly user?: string;
  /** The route that is being changed. */
  readonly edit?: string;
  readonly create?: true;
}

export function routesSearch(given: Given): RoutesSearch {
  return {
    preview: text(given.preview),
    input: tokens(given.input),
    output: tokens(given.output),
    user: text(given.user),
    edit: text(given.edit),
    create: given.create === true ? true : undefined,
  };
}

function tokens(value: unknown): number | undefined {
  const number = Number(value);
  return value !== '' && Number.isInteger(number) && number >= 0 ? number : undefined;
}
