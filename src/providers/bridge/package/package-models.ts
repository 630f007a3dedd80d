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

/** What a package makes models of, by their kinds: each takes the provider's own model name. */
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

/** With what a package's provider object is made. */
export interface PackageContext {
  readonly settings: ConnectionSettings;
  /**
   * The connection's key; empty where there is none: a package that is given none looks into the environment, which is read
   * in one place only.
   */
  readonly apiKey: string;
  readonly fetch: Fetch;
}

/** Loads a package, and makes its provider object. Called at a connection's first use, not before. */
export type LoadPackage = (context: PackageContext) => Promise<PackageModels>;
