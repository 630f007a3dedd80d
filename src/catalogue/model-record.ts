import type { TokenRates } from './prices/token-rates.ts';

/** That a provider retires a model. */
export interface ModelDeprecation {
  /** `YYYY-MM-DD`; absent if the source does not state it. */
  readonly announcedOn?: string | undefined;
  /** `YYYY-MM-DD`: from this day on the provider need not serve the model. Absent if the source does not state it. */
  readonly shutdownOn?: string | undefined;
  /** The model that the provider recommends, `provider/model`. */
  readonly replacement?: string | undefined;
  /** The page that states it. */
  readonly source: string;
  /** `YYYY-MM-DD`: when that page was read. */
  readonly readOn: string;
}

/** The metadata and rates of one model of one provider. */
export interface ModelRecord {
  /** Canonical: `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** For people. */
  readonly name: string;
  /** Tokens; null if the source does not state it. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** `text`, `image`, `audio`, `video`, `file`. */
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** `chat`, `embeddings`, `images` ..., and `tools`, `json_schema`, `reasoning`, `vision`. */
  readonly capabilities: readonly string[];
  /** Null if it is not billed, or no price is known. */
  readonly rates: TokenRates | null;
  /**
   * Names the source of the rates and its date, so that a settled request can always be explained:
   * `models.dev@2026-07-02`; two are joined by `+` if the second supplements the first.
   */
  readonly priceVersion: string;
  /** `YYYY-MM-DD`; null if the source does not state it. */
  readonly releasedOn: string | null;
  /** Absent if no source states that it is deprecated. */
  readonly deprecation?: ModelDeprecation;
}
