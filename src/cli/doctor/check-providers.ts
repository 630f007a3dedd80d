import { pino } from 'pino';
import { wireProviders } from '../../composition/gateway/providers.ts';
import type { Configuration } from '../../config/configuration.ts';
import { SluiceError } from '../../errors/index.ts';
import type { Connection } from '../../providers/contract.ts';
import { builtInProviders } from '../../providers/registry.ts';
import { describeError } from '../errors/describe-error.ts';
import { fault, found, type Finding } from './finding.ts';
import { within } from './within.ts';

const SUBJECT = 'Provider';
const TIMEOUT_MS = 15_000;

/** Asks each provider of the operator for its list of models, which costs nothing. */
export async function checkProviders(configuration: Configuration): Promise<readonly Finding[]> {
  const skipped: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void skipped.push(textOf(line)) });
  const providers = wireProviders(configuration, log);
  try {
    const connections = providers.current.connections.filter(({ id }) => !builtInProviders.has(id));
    const checked = await Promise.all(connections.map(checkProvider));
    const refused = skipped.map((text) => fault(SUBJECT, 'failed', text, 'Correct its settings in sluice.yaml.'));
    if (checked.length + refused.length > 0) return [...refused, ...checked];
    const advice = 'Set the key of a provider, for example OPENAI_API_KEY, or name providers in sluice.yaml.';
    return [fault(SUBJECT, 'warning', 'none is configured', advice)];
  } finally {
    await providers.close();
  }
}

async function checkProvider(connection: Connection): Promise<Finding> {
  const { id } = connection;
  try {
    const { length } = await within(TIMEOUT_MS, connection.listModels());
    // Some have no list of models: nothing was sent.
    if (length === 0) return found(SUBJECT, 'unused', `${id} is configured; it has no list of models to check it by`);
    return found(SUBJECT, 'ok', `${id} answers, and lists ${length} models`);
  } catch (error) {
    return fault(SUBJECT, 'failed', `${id}: ${describeError(error)}`, adviceFor(error, id));
  }
}

function adviceFor(error: unknown, id: string): string {
  if (error instanceof SluiceError && error.code === 'provider_credentials')
    return `Replace the key of ${id}: ${id.toUpperCase().replaceAll('-', '_')}_API_KEY, or api_key in sluice.yaml.`;
  return 'Check that this machine may reach the address of the provider (DNS, firewall, base_url in sluice.yaml), and its status page.';
}

/** @param line JSON of the log */
function textOf(line: string): string {
  const parsed: unknown = JSON.parse(line);
  return typeof parsed === 'object' && parsed !== null && 'msg' in parsed ? String(parsed.msg) : line;
}
