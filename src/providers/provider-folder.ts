import { readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { isObject } from '../protocols/canonical/json-members.ts';
import type { ProviderDeclaration } from './contract.ts';

/**
 * Imports a folder with one provider per file, in alphabetical order of the file names.
 * @param folder with a trailing slash; only its files count, not its subfolders
 * @throws Error naming a file that does not export exactly one declaration
 */
export async function readProviderFolder(folder: URL): Promise<ProviderDeclaration[]> {
  // `.ts` in the source; `.js` in the build, which also has source maps.
  const extension = extname(new URL(import.meta.url).pathname);
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) === extension)
    .map(({ name }) => name)
    .toSorted();
  return Promise.all(files.map((file) => readDeclaration(new URL(file, folder))));
}

async function readDeclaration(file: URL): Promise<ProviderDeclaration> {
  const exports: Readonly<Record<string, unknown>> = await import(file.href);
  const [declaration, ...more] = Object.values(exports).filter(isDeclaration);
  if (declaration === undefined || more.length > 0)
    throw new Error(
      `${file.pathname} exports ${more.length + (declaration ? 1 : 0)} provider declarations instead of one. ` +
        `Export one, such as \`export const ${nameOf(file)} = openAiShaped({ … })\`, or move the file to another folder.`,
    );
  return declaration;
}

function nameOf(file: URL): string {
  return basename(file.pathname, extname(file.pathname)).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function isDeclaration(value: unknown): value is ProviderDeclaration {
  return isObject(value) && typeof value.id === 'string' && typeof value.open === 'function';
}

/** @throws Error naming two declarations that have an id or an alias in common */
export function checkProviderNames(providers: readonly ProviderDeclaration[]): void {
  const owners = new Map<string, ProviderDeclaration>();
  for (const provider of providers)
    for (const name of [provider.id, ...(provider.providerAliases ?? [])]) {
      const owner = owners.get(name);
      if (owner !== undefined)
        throw new Error(
          `The provider name \`${name}\` is declared twice: by ${owner.name} and by ${provider.name}. ` +
            'Rename one of them, or remove one of the aliases.',
        );
      owners.set(name, provider);
    }
}
