/** A provider that an account can connect. */
export interface ConnectableProvider {
  /** The prefix of its models. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Where its API is documented; null where there was nothing to read. */
  readonly documentation: string | null;
  readonly needsKey: boolean;
  /** Further prefixes of its models. */
  readonly alsoKnownAs: readonly string[];
  /** Null: it has none of its own, and must be told one. */
  readonly baseUrl: string | null;
  /** Settings that only it has. */
  readonly options: readonly ConnectableOption[];
}

export interface ConnectableOption {
  readonly name: string;
  /** Whether it is among the secret ones. */
  readonly isSecret: boolean;
  /** For who fills it in. */
  readonly description: string;
}

/** All that a connection is opened with, in clear. */
export interface OpenSettings {
  /** One of a kind in this process. */
  readonly id: string;
  readonly provider: string;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  /** Secret ones too. */
  readonly options: Readonly<Record<string, string>>;
}

/** What the service needs of providers, which it does not know itself. */
export interface ConnectionOpener {
  readonly providers: readonly ConnectableProvider[];
  /** Why no connection of this kind can be opened, in words for who configures it; null where it can. Dials nothing. */
  fault(settings: OpenSettings): string | null;
  /** Asks the provider which models it has. @throws SluiceError outbound_refused | provider_* */
  listModels(settings: OpenSettings): Promise<readonly string[]>;
}
