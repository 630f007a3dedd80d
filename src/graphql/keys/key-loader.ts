import type { ApiKey as ApiKeyEntity } from '../../database/entities/index.ts';
import { toApiKey } from './api-key.mapping.ts';
import type { ApiKey } from './api-key.types.ts';

/** Gathers the keys that one turn asks for and reads them together. One per operation. */
export class KeyLoader {
  readonly #read: (ids: readonly string[]) => Promise<readonly ApiKeyEntity[]>;
  #gathering: { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, ApiKey>> } | null = null;

  constructor(read: (ids: readonly string[]) => Promise<readonly ApiKeyEntity[]>) {
    this.#read = read;
  }

  async load(id: string): Promise<ApiKey | null> {
    this.#gathering ??= this.#gather();
    this.#gathering.ids.add(id);
    return (await this.#gathering.found).get(id) ?? null;
  }

  #gather(): { ids: Set<string>; found: Promise<ReadonlyMap<string, ApiKey>> } {
    const ids = new Set<string>();
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#gathering = null;
      const rows = await this.#read([...ids]);
      return new Map(rows.filter(({ kind }) => kind === 'user').map((row) => [row.id, toApiKey(row)]));
    });
    return { ids, found };
  }
}
