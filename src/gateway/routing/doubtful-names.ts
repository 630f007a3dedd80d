import { checkModelName, suggestModelName, type KnownModels } from '../../catalogue/model-name-check.ts';

/** A name of a model that is configured, and where. */
export interface NamedModel {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly acceptsRoutes: boolean;
}

/** Names that nothing is known to have while something has a similar one, a line each. */
export function doubtfulNames(names: readonly NamedModel[], known: KnownModels): string[] {
  return names.flatMap(({ path, name, acceptsRoutes }) => {
    const check = checkModelName(name, known, acceptsRoutes);
    if (check.kind !== 'unlisted' && check.kind !== 'unknown') return [];
    const suggestion = suggestModelName(name, known, acceptsRoutes);
    if (suggestion === undefined) return [];
    return [`${path.join('.')}: no list of models has ${name}; did you mean ${suggestion}?`];
  });
}
