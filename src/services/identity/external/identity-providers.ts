import { SluiceError } from '../../../errors/index.ts';
import type { IdentityProvider, IdentityProviderSettings } from './identity-provider.ts';

/** The configured identity providers. A provider keeps its cached discovery document while its settings are unchanged. */
export class IdentityProviders {
  readonly #settings: () => readonly IdentityProviderSettings[];
  readonly #open: (settings: IdentityProviderSettings) => Promise<IdentityProvider>;
  readonly #opened = new Map<string, { readonly settings: string; readonly provider: Promise<IdentityProvider> }>();

  constructor(
    settings: () => readonly IdentityProviderSettings[],
    open: (settings: IdentityProviderSettings) => Promise<IdentityProvider>,
  ) {
    this.#settings = settings;
    this.#open = open;
  }

  list(): readonly IdentityProviderSettings[] {
    return this.#settings();
  }

  /** @throws SluiceError not_found */
  settings(id: string): IdentityProviderSettings {
    const found = this.#settings().find((each) => each.id === id);
    if (found === undefined) throw new SluiceError('not_found', { values: { what: 'identity provider' } });
    return found;
  }

  /** @throws SluiceError not_found */
  async find(id: string): Promise<IdentityProvider> {
    const found = this.settings(id);
    const settings = JSON.stringify(found);
    const opened = this.#opened.get(id);
    if (opened?.settings === settings) return opened.provider;
    const provider = this.#open(found);
    this.#opened.set(id, { settings, provider });
    return provider;
  }
}
