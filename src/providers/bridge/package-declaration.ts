import { SettingsError, type ConnectionSettings, type ProviderDeclaration } from '../contract.ts';
import type { JobHttp } from '../shared/jobs/job-http.ts';
import type { VideoService } from '../shared/jobs/video-jobs.ts';
import type { ChatDialect } from './chat-dialect.ts';
import type { EmbeddingsDialect } from './services/embeddings.ts';
import type { ImagesDialect } from './services/images.ts';
import type { NativeServices } from './native-services.ts';
import type { LoadPackage, ModelKind, PackageContext } from './package/package-models.ts';
import type { RerankDialect } from './services/rerank.ts';

/** A way to videos, and the sockets that it has. */
export interface VideoConnection {
  readonly http: JobHttp;
  readonly service: VideoService;
}

/** A provider that is reached through its package of the AI SDK. */
export interface AiSdkPackage extends Omit<ProviderDeclaration, 'open'> {
  /** What it has models of. */
  readonly kinds: readonly ModelKind[];
  readonly load: LoadPackage;
  /** How a chat model of that name is spoken to; null for one that is no chat model here. Absent where there are none. */
  readonly chat?: (model: string, settings: ConnectionSettings) => ChatDialect | null;
  /** How its embeddings are asked for. */
  readonly embeddings?: EmbeddingsDialect;
  /** How its pictures are asked for. */
  readonly images?: ImagesDialect;
  /** How its rerankers are asked. */
  readonly rerank?: RerankDialect;
  /** How its videos are made. Not through the package: a job must be found again by another process. */
  readonly video?: (settings: ConnectionSettings) => VideoConnection;
  /** What it is asked for past the package. Needs a base URL of its own. */
  readonly native?: NativeServices;
  /** @throws SluiceError provider_*. Absent for a provider that lists none. */
  readonly listModels?: (context: PackageContext) => Promise<readonly string[]>;
  /** Looks for what is wrong with a connection's settings beside a missing key. @throws SettingsError */
  readonly checkSettings?: (settings: ConnectionSettings) => void;
}

/** An option that a provider cannot do without. @throws SettingsError */
export function requiredOption(provider: string, { options }: ConnectionSettings, name: string): string {
  const value = options[name];
  if (value === undefined || value === '')
    throw new SettingsError(`Provider \`${provider}\` needs the option \`${name}\`.`);
  return value;
}

/** An option that becomes part of a host's name or a path: it must not make another of it. @throws SettingsError */
export function nameOption(provider: string, settings: ConnectionSettings, name: string): string {
  const value = requiredOption(provider, settings, name);
  if (!/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(value))
    throw new SettingsError(
      `Provider \`${provider}\`: the option \`${name}\` must consist of lower-case letters, digits and dashes.`,
    );
  return value;
}
