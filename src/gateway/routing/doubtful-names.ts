import { checkModelName, suggestModelName, type KnownModels } from '../../catalogue/model-name-check.ts';

/** A name of a model that is configured, and where. */
export interface NamedModel {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly acceptsRoutes: boolean;
}

/** Names that nothing is known to have while something has a similar one, a line each. Requests go on between them. */
export async function* doubtfulNames(names: readonly NamedModel[], known: KnownModels): AsyncGenerator<string> {
  for (const { path, name, acceptsRoutes } of names) {
    const check = checkModelName(name, known, acceptsRoutes);
    if (check.kind !== 'unlisted' && check.kind !== 'unknown') continue;
    const suggestion = suggestModelName(name, known, acceptsRoutes);
    if (suggestion !== undefined) yield `${path.join('.')}: no list of models has ${name}; did you mean ${suggestion}?`;
    // A suggestion takes milliseconds, and a configuration may name hundreds of models that no list has.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
