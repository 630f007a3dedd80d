import { systemClock, type Clock } from '../calendar/clock.ts';
import { changedAt, readConfigFile } from './config-file.ts';
import type { SluiceConfig } from './config-schema.ts';
import { ConfigurationError, parseEnvironment, type Environment } from './environment.ts';

const DEFAULT_FILE = './sluice.yaml';
const WATCH_INTERVAL_MS = 2_000;

export interface Configuration {
  readonly environment: Environment;
  readonly file: SluiceConfig;
  /** Calls `onChange` with each valid change of the file, and `onFault` with the errors of an invalid one. @returns a function that stops watching */
  watch(onChange: (file: SluiceConfig) => void, onFault: (error: unknown) => void): () => void;
  /** Reads the file again for those that watch it, whether or not it seems to have changed. */
  reload(): void;
}

/** Names of built-in providers. */
export interface KnownProviders {
  readonly ids: readonly string[];
  /** Aliases, in `sluice.yaml` and as prefixes of models. */
  readonly aliases: Iterable<string>;
}

/** Reads the complete configuration. This file is the only reader of `process.env`. @throws ConfigurationError with all errors */
export async function loadConfiguration({ ids, aliases }: KnownProviders): Promise<Configuration> {
  const known = new Set([...ids, ...aliases]);
  const { path, required } = place();
  const read = (): Promise<SluiceConfig> => readConfigFile(path, required, process.env, known);
  const reloads = new Set<() => void>();
  // Before it is read: a change while the process starts is one that is still to be read.
  const readAt = await changedAt(path);
  const [environment, file] = await Promise.allSettled([readEnvironment(ids), read()]);
  if (environment.status === 'fulfilled' && file.status === 'fulfilled')
    return {
      environment: environment.value,
      file: file.value,
      watch: (onChange, onFault) => {
        const { reload, stop } = watchFile(path, readAt, read, onChange, onFault);
        reloads.add(reload);
        return () => {
          reloads.delete(reload);
          stop();
        };
      },
      reload: () => reloads.forEach((reload) => reload()),
    };
  const errors = [environment, file].flatMap((read) => (read.status === 'rejected' ? [errorOf(read.reason)] : []));
  throw new ConfigurationError(
    errors.flatMap(({ faults }) => faults),
    errors
      .flatMap(({ warnings }) => warnings)
      .concat(environment.status === 'fulfilled' ? environment.value.warnings : []),
  );
}

/** Only the environment, without the variables of providers, for commands without requests to them. @throws ConfigurationError */
export function loadEnvironment(): Environment {
  return parseEnvironment(process.env, []);
}

/** Only the file, without its secrets, for commands without requests to providers. @throws ConfigurationError */
export function loadFile(): Promise<SluiceConfig> {
  const { path, required } = place();
  return readConfigFile(path, required, null);
}

async function readEnvironment(ids: readonly string[]): Promise<Environment> {
  return parseEnvironment(process.env, ids);
}

function place(): { path: string; required: boolean } {
  const named = process.env.SLUICE_CONFIG;
  return named ? { path: named, required: true } : { path: DEFAULT_FILE, required: false };
}

function errorOf(error: unknown): ConfigurationError {
  if (error instanceof ConfigurationError) return error;
  throw error;
}

/**
 * Polls the modification time: file events miss files that editors or mounted volumes replace.
 * @param readAt its modification time when it was read before
 */
function watchFile(
  path: string,
  readAt: number,
  read: () => Promise<SluiceConfig>,
  onChange: (file: SluiceConfig) => void,
  onFault: (error: unknown) => void,
  clock: Clock = systemClock,
): { reload(): void; stop(): void } {
  let seen = readAt;
  const reread = async (): Promise<void> => {
    try {
      onChange(await read());
    } catch (error) {
      onFault(error);
    }
  };
  const poll = async (): Promise<void> => {
    const changed = await changedAt(path);
    if (changed === seen) return;
    seen = changed;
    await reread();
  };
  const timer = clock.setInterval(() => void poll(), WATCH_INTERVAL_MS).unref();
  void poll();
  return { reload: () => void reread(), stop: () => timer.cancel() };
}
