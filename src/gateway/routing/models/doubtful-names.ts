import { checkModelName, suggestModelName, type KnownModels } from '../../../catalogue/model-name-check.ts';

/** A configured model name and its path in the configuration. */
export interface NamedModel {
  readonly path: readonly (string | number)[];
  readonly name: string;
  readonly acceptsRoutes: boolean;
}

/** Warnings, one line each, for unknown names that are similar to a known one. Yields to requests between names. */
export async function* doubtfulNames(names: readonly NamedModel[], known: KnownModels): AsyncGenerator<string> {
  for (const { path, name, acceptsRoutes } of names) {
    const check = checkModelName(name, known, acceptsRoutes);
    if (check.kind !== 'unlisted' && check.kind !== 'unknown') continue;
    const suggestion = suggestModelName(name, known, acceptsRoutes);
    if (suggestion !== undefined) yield `${path.join('.')}: ${name} is not a known model; did you mean ${suggestion}?`;
    // A suggestion takes milliseconds, and a configuration may contain hundreds of unknown names.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
