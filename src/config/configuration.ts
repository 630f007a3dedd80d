import { changedAt, readConfigFile, type SluiceConfig } from './config-file.ts';
import { parseEnvironment, type Environment } from './environment.ts';

const DEFAULT_FILE = './sluice.yaml';
const WATCH_MS = 2_000;

export interface Configuration {
  readonly environment: Environment;
  readonly file: SluiceConfig;
  /** Calls back with each valid change of the file; a bad one keeps the old and tells `onFault` why. @returns stops watching */
  watch(onChange: (file: SluiceConfig) => void, onFault: (error: unknown) => void): () => void;
}

/** Reads all there is to configure: the only reader of `process.env`. @throws ConfigurationError */
export async function loadConfiguration(knownProviders: readonly string[]): Promise<Configuration> {
  const environment = parseEnvironment(process.env, knownProviders);
  const path = environment.SLUICE_CONFIG ?? DEFAULT_FILE;
  const read = (): Promise<SluiceConfig> => readConfigFile(path, environment.SLUICE_CONFIG !== undefined, process.env);
  const file = await read();
  return { environment, file, watch: (onChange, onFault) => watchFile(path, read, onChange, onFault) };
}

/** Looks at the file's time: editors and mounted volumes replace files in ways that file events miss. */
function watchFile(
  path: string,
  read: () => Promise<SluiceConfig>,
  onChange: (file: SluiceConfig) => void,
  onFault: (error: unknown) => void,
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
  const timer = setInterval(() => void look(), WATCH_MS).unref();
  void look();
  return () => clearInterval(timer);
}
