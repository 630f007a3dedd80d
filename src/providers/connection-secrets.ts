import type { Connection, ConnectionSettings, ProviderOption } from './contract.ts';

/** A shorter value would remove common words from messages. */
const MIN_SECRET_LENGTH = 4;

const secrets = new WeakMap<Connection, readonly string[]>();

/** Stores a connection's credentials, so that they can be removed from stored text. */
export function rememberSecrets(
  connection: Connection,
  { apiKey, options }: Pick<ConnectionSettings, 'apiKey' | 'options'>,
  declared: readonly ProviderOption[],
): void {
  const named = declared.filter(({ isSecret }) => isSecret).map(({ name }) => options[name]);
  const values = [apiKey, ...named].filter((value) => value !== undefined && value.length >= MIN_SECRET_LENGTH);
  secrets.set(
    connection,
    values.filter((value) => value !== undefined).toSorted((a, b) => b.length - a.length),
  );
}

/** The values that a connection authenticates with, the longest first. */
export function secretsOf(connection: Connection): readonly string[] {
  return secrets.get(connection) ?? [];
}
