import { systemClock, type Clock } from '../calendar/clock.ts';
import { changedAt, readConfigFile, type SluiceConfig } from './config-file.ts';
import { ConfigurationError, parseEnvironment, type Environment } from './environment.ts';

const DEFAULT_FILE = './sluice.yaml';
const WATCH_MS = 2_000;

export interface Configuration {
  readonly environment: Environment;
  readonly file: SluiceConfig;
  /** Calls back with each valid change of the file; a bad one keeps the old and tells `onFault` why. @returns stops watching */
  watch(onChange: (file: SluiceConfig) => void, onFault: (error: unknown) => void): () => void;
}

/** Names of providers that are known by name. */
export interface KnownProviders {
  readonly ids: readonly string[];
  /** Other names, in `sluice.yaml` and before models. */
  readonly aliases: Iterable<string>;
}

/** Reads all there is to configure: this file is the only reader of `process.env`. @throws ConfigurationError with all faults together */
export async function loadConfiguration({ ids, aliases }: KnownProviders): Promise<Configuration> {
  const known = new Set([...ids, ...aliases]);
  const { path, required } = place();
  const read = (): Promise<SluiceConfig> => readConfigFile(path, required, process.env, known);
  const [environment, file] = await Promise.allSettled([readEnvironment(ids), read()]);
  if (environment.status === 'fulfilled' && file.status === 'fulfilled')
    return {
      environment: environment.value,
      file: file.value,
      watch: (onChange, onFault) => watchFile(path, read, onChange, onFault),
    };
  const faults = [environment, file].flatMap((read) => (read.status === 'rejected' ? faultsOf(read.reason) : []));
  throw new ConfigurationError(faults);
}

/** The environment alone, for what calls no provider: their variables are not looked at. @throws ConfigurationError */
export function loadEnvironment(): Environment {
  return parseEnvironment(process.env, []);
}

/** The file alone, for what calls no provider: its secrets are not filled in. @throws ConfigurationError */
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

function faultsOf(error: unknown): readonly string[] {
  if (error instanceof ConfigurationError) return error.faults;
  throw error;
}

/** Looks at the file's time: editors and mounted volumes replace files in ways that file events miss. */
function watchFile(
  path: string,
  read: () => Promise<SluiceConfig>,
  onChange: (file: SluiceConfig) => void,
  onFault: (error: unknown) => void,
  clock: Clock = systemClock,
): () => void {
  let seen: number | null = null;
  const look = async (): Promise<void> => {
    const changed = await changedAt(path);
    const first = seen === null;
    if (changed === seen) return;
    seen = changed;
    if (first) return;
    try {
      onChange(await read());
    } catch (error) {
      onFault(error);
    }
  };
  const timer = clock.setInterval(() => void look(), WATCH_MS).unref();
  void look();
  return () => timer.cancel();
}
