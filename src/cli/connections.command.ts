import { parseArgs } from 'node:util';
import type { ProviderConnection } from '../database/entities/index.ts';
import { providerAliases } from '../providers/registry.ts';
import type { ConnectionTermsInput } from '../services/connections/connection-input.ts';
import { connectionsOf, setConnectionTerms } from '../services/connections/connection-terms.ts';
import { isUuid } from '../services/uuid.ts';
import { BadArguments } from './errors/bad-arguments.ts';
import { oldestAccount } from './accounts/oldest-account.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice connections list                 list the provider connections of an account
  sluice connections set <provider>       state the region and the data policy of a connection, for example by a contract

Options of set:
  --region <name>                         region in which the provider processes the requests: eu, eu-central-1
  --training <yes|no>                     whether the provider trains models with the data of requests
  --retention-days <n>                    days for which the provider retains requests; 0 for zero retention
                                          Use none instead of a value to remove it: then the address and the
                                          documentation of the provider count.

  --account <id>                          account of the connection; default: the oldest account
  --json                                  print JSON

The connections of the operator are configured in sluice.yaml.

Examples:
  sluice connections set openai --region eu --retention-days 0
  sluice connections set mistral --training no
`;

/** @returns the exit code */
export async function connectionsCommand(args: readonly string[]): Promise<number> {
  try {
    return await run(args);
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      account: { type: 'string' },
      region: { type: 'string' },
      training: { type: 'string' },
      'retention-days': { type: 'string' },
    },
  });
  const [action, provider, ...more] = positionals;
  if (values.help || action === undefined) {
    process.stdout.write(usage);
    return values.help ? 0 : 2;
  }
  const isKnown = action === 'list' ? provider === undefined : action === 'set' && provider !== undefined;
  if (!isKnown || more.length > 0) throw new BadArguments(usage.trimEnd());
  if (values.account !== undefined && !isUuid(values.account)) throw new BadArguments('--account must be a UUID.');
  const terms = termsIn(values.region, values.training, values['retention-days']);
  if (action === 'list' && Object.keys(terms).length > 0)
    throw new BadArguments('`list` changes nothing. Use `sluice connections set <provider>` with these options.');
  if (action === 'set' && Object.keys(terms).length === 0)
    throw new BadArguments('Specify at least one setting to change. See `sluice connections --help`.');
  return withDatabase(async (database) => {
    await database.migrate();
    const accountId = values.account ?? (await oldestAccount(database));
    if (provider === undefined) {
      print(await connectionsOf(database, accountId), values.json);
      return 0;
    }
    const connectionCache = { changed: async () => undefined };
    const id = providerAliases.get(provider) ?? provider;
    print([await setConnectionTerms({ database, connectionCache }, accountId, id, terms)], values.json);
    // Servers read changes of other processes from a database server only.
    if (database.kind !== 'server') process.stderr.write('A running server applies the change at its next start.\n');
    return 0;
  });
}

/** @throws BadArguments */
function termsIn(
  region: string | undefined,
  training: string | undefined,
  days: string | undefined,
): ConnectionTermsInput {
  if (training !== undefined && !['yes', 'no', 'none'].includes(training))
    throw new BadArguments('--training must be yes, no or none.');
  if (days !== undefined && !/^(none|\d{1,6})$/.test(days))
    throw new BadArguments('--retention-days must be a number of days, or none.');
  return {
    ...(region !== undefined && { region: region === 'none' ? null : region }),
    ...(training !== undefined && { trainsOnData: training === 'none' ? null : training === 'yes' }),
    ...(days !== undefined && { retentionDays: days === 'none' ? null : Number(days) }),
  };
}

function print(connections: readonly ProviderConnection[], asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify(connections.map(toJson), null, 2)}\n`);
  else process.stdout.write(connections.map(toLine).join('') || 'No connections.\n');
}

function toJson({ id, provider, name, active, region, trainsOnData, retentionDays }: ProviderConnection): object {
  return { id, provider, name, active, region, trains_on_data: trainsOnData, retention_days: retentionDays };
}

function toLine({ provider, name, active, region, trainsOnData, retentionDays }: ProviderConnection): string {
  const terms = [
    `region ${region ?? 'not stated'}`,
    `training ${trainsOnData === null ? 'not stated' : trainsOnData ? 'yes' : 'no'}`,
    `retention ${retentionDays === null ? 'not stated' : `${retentionDays} days`}`,
  ];
  return `${provider}  ${JSON.stringify(name)}${active ? '' : '  (inactive)'}  ${terms.join(', ')}\n`;
}
