import type { ImportedProvider } from '../../catalogue/sources/imported-provider.ts';
import { providers } from '../../providers/registry.ts';

/** Models of self-hosted servers are not imported: which ones they have depends on the installation. */
export const importedProviders: readonly ImportedProvider[] = providers
  .filter(({ selfHosted }) => !selfHosted)
  .map(({ id, catalogueSources }) => ({ id, ...catalogueSources }));
