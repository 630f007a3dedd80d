import { readFileSync } from 'node:fs';

/** Values of variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>;

const SUFFIX = '_FILE';

/** The variable with the path of a file that contains the value of another variable. */
export function fileVariable(name: string): string {
  return `${name}${SUFFIX}`;
}

/** Whether a variable has a value, or a file. An empty value counts as unset. */
export function isSet(variables: Variables, name: string): boolean {
  return Boolean(variables[name] || variables[fileVariable(name)]);
}

/**
 * The value of a secret: that of its variable, or the content of the file that `<NAME>_FILE` names, without the newline at its end.
 * A fault contains the name of the variable and the path, never the content.
 * @returns undefined if neither is set, or with a fault
 */
export function readSecretVariable(
  variables: Variables,
  name: string,
  onFault: (fault: string) => void,
): string | undefined {
  const value = variables[name] || undefined;
  const path = variables[fileVariable(name)] || undefined;
  if (path === undefined) return value;
  if (value !== undefined) {
    onFault(`${name} and ${fileVariable(name)} are both set; unset one of them`);
    return undefined;
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    onFault(`${fileVariable(name)} names ${path}, which cannot be read: ${codeOf(error)}`);
    return undefined;
  }
  const content = text.replace(/\r?\n$/, '');
  if (content !== '') return content;
  onFault(`${fileVariable(name)} names ${path}, which is empty`);
  return undefined;
}

/** The variables with the values of secrets that are in files. @param secrets names of variables */
export function withSecretFiles(
  variables: Variables,
  secrets: Iterable<string>,
  onFault: (fault: string) => void,
): Variables {
  const values: Record<string, string | undefined> = { ...variables };
  for (const name of secrets) values[name] = readSecretVariable(variables, name, onFault);
  return values;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
