const API_KEY_VARIABLE = 'SLUICE_API_KEY';

export interface KeyCode {
  /** Within double quotes. */
  readonly shell: string;
  readonly typescript: string;
  readonly python: string;
  readonly pythonImport: string;
}

/** A key as an expression in each language. @param key null reads it from the environment */
export function keyCode(key: string | null): KeyCode {
  if (key !== null) return { shell: key, typescript: `'${key}'`, python: `"${key}"`, pythonImport: '' };
  return {
    shell: `$${API_KEY_VARIABLE}`,
    typescript: ['process', 'env', API_KEY_VARIABLE].join('.'),
    python: `os.environ["${API_KEY_VARIABLE}"]`,
    pythonImport: 'import os\n\n',
  };
}
