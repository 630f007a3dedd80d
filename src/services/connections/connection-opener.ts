/** What is known of a provider's use of data. */
interface ProviderDataPolicy {
  /** Whether it trains models with the data of API requests; null if unknown. */
  readonly trainsOnData: boolean | null;
  /** Days, 0 for zero retention; null if unknown. */
  readonly retentionDays: number | null;
  readonly isSetByConnection: boolean;
  /** The page that states it; null if there is none. */
  readonly source: { readonly url: string; readonly readOn: string } | null;
}

/** A provider that an account can connect to. */
export interface ConnectableProvider {
  /** The prefix of its models. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The documentation of its API; null if there is none. */
  readonly documentation: string | null;
  readonly needsKey: boolean;
  /** Further prefixes of its models. */
  readonly alsoKnownAs: readonly string[];
  /** Null if a base URL must be configured. */
  readonly baseUrl: string | null;
  /** Settings specific to this provider. */
  readonly options: readonly ConnectableOption[];
  /** Of its own servers, without a contract. */
  readonly dataPolicy: ProviderDataPolicy;
}

export interface ConnectableOption {
  readonly name: string;
  /** Whether it is stored encrypted. */
  readonly isSecret: boolean;
  /** For the person who configures it. */
  readonly description: string;
}

/** The decrypted settings of a connection. */
export interface OpenSettings {
  /** Unique in this process. */
  readonly id: string;
  readonly provider: string;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  /** Including secret ones. */
  readonly options: Readonly<Record<string, string>>;
  /** Null if the account does not state it. */
  readonly region: string | null;
  readonly trainsOnData: boolean | null;
  readonly retentionDays: number | null;
}

/** Access to the providers, implemented by the gateway. */
export interface ConnectionOpener {
  readonly providers: readonly ConnectableProvider[];
  /**
   * Why a connection with these settings cannot be opened, for the person who configures it; null if it can. Makes no network
   * request.
   */
  fault(settings: OpenSettings): string | null;
  /** Requests the provider's list of models. @throws SluiceError outbound_refused | provider_* */
  listModels(settings: OpenSettings): Promise<readonly string[]>;
}
