import { SettingsError, type Connection, type ConnectionSettings, type ProviderDeclaration } from '../contract.ts';
import type { JobHttp } from '../shared/jobs/job-http.ts';
import type { VideoService } from '../shared/jobs/video-jobs.ts';
import type { ChatDialect } from './chat-dialect.ts';
import type { EmbeddingsDialect } from './services/embeddings.ts';
import type { ImagesDialect } from './services/images.ts';
import type { NativeServices } from './native-services.ts';
import type { Fetch } from './package/connection-fetch.ts';
import type { LoadPackage, ModelKind, PackageContext } from './package/package-models.ts';
import type { RerankDialect } from './services/rerank.ts';

/** A video service with its HTTP client. */
export interface VideoConnection {
  readonly http: JobHttp;
  readonly service: VideoService;
}

/** Requests that do not use the package, because the provider has the client's own protocol. */
export interface ProtocolRelay extends Required<Pick<Connection, 'native' | 'nativeEmbeddings' | 'countTokens'>> {
  close(): Promise<void>;
}

/** A provider that is called through its AI SDK package. */
export interface AiSdkPackage extends Omit<ProviderDeclaration, 'open'> {
  /** The kinds of its models. */
  readonly kinds: readonly ModelKind[];
  readonly load: LoadPackage;
  /** The dialect of a chat model; null if the model is not a chat model. Absent if there are no chat models. */
  readonly chat?: (model: string, settings: ConnectionSettings) => ChatDialect | null;
  /** How its embeddings differ. */
  readonly embeddings?: EmbeddingsDialect;
  /** How its images differ. */
  readonly images?: ImagesDialect;
  /** How its rerankers differ. */
  readonly rerank?: RerankDialect;
  /** Its video service. It does not use the package, because another process must be able to continue a job. */
  readonly video?: (settings: ConnectionSettings) => VideoConnection;
  /** Services that do not use the package. They need a fixed base URL. */
  readonly native?: NativeServices;
  /** The protocols of clients that it serves itself. @param fetch for tokens */
  readonly relay?: (settings: ConnectionSettings, fetch: Fetch) => ProtocolRelay;
  /** @throws SluiceError provider_*. Absent if the provider does not list its models. */
  readonly listModels?: (context: PackageContext) => Promise<readonly string[]>;
  /** Validates the settings of a connection, except for a missing key. @throws SettingsError */
  readonly checkSettings?: (settings: ConnectionSettings) => void;
}

/** Returns a required option. @throws SettingsError */
export function requiredOption(provider: string, { options }: ConnectionSettings, name: string): string {
  const value = options[name];
  if (value === undefined || value === '')
    throw new SettingsError(`Provider \`${provider}\` needs the option \`${name}\`.`);
  return value;
}

/** Returns a required option that becomes part of a host name or path, and must not change either. @throws SettingsError */
export function nameOption(provider: string, settings: ConnectionSettings, name: string): string {
  const value = requiredOption(provider, settings, name);
  if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(value))
    throw new SettingsError(
      `Provider \`${provider}\`: the option \`${name}\` must consist of lower-case letters, digits and dashes.`,
    );
  return value;
}
