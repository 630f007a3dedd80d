import type {
  EmbeddingModelV4,
  Experimental_VideoModelV4,
  ImageModelV4,
  LanguageModelV4,
  RerankingModelV4,
  SpeechModelV4,
  TranscriptionModelV4,
} from '@ai-sdk/provider';
import type { ConnectionSettings } from '../../contract.ts';
import type { Fetch } from './connection-fetch.ts';

/** Creates a package's models, by kind, from the provider's own model name. */
export interface PackageModels {
  readonly chat?: (model: string) => LanguageModelV4;
  readonly embedding?: (model: string) => EmbeddingModelV4;
  readonly rerank?: (model: string) => RerankingModelV4;
  readonly image?: (model: string) => ImageModelV4;
  readonly speech?: (model: string) => SpeechModelV4;
  readonly transcription?: (model: string) => TranscriptionModelV4;
  readonly video?: (model: string) => Experimental_VideoModelV4;
}

export type ModelKind = keyof PackageModels;

/** The options of a package's provider object. */
export interface PackageContext {
  readonly settings: ConnectionSettings;
  /**
   * The connection's key; empty where there is none: without a key the package would read the environment, which only
   * `config` may do.
   */
  readonly apiKey: string;
  readonly fetch: Fetch;
}

/** Loads a package and creates its provider object. Called at a connection's first use. */
export type LoadPackage = (context: PackageContext) => Promise<PackageModels>;
