import { capabilityNames } from '../catalogue/capability-names.ts';
import { establishMasterKeys, loadSecrets, type OpenedMasterKeys } from '../composition/master-keys.ts';
import type { Database } from '../database/database.ts';
import type { ApiKey } from '../database/entities/index.ts';
import { SluiceError, type ErrorCode } from '../errors/index.ts';
import { readPlans } from '../composition/gateway/read-plans.ts';
import { MemoryKeyDirectory } from '../services/keys/key-directory.ts';
import type { KeyPosition } from '../services/keys/key-pages.ts';
import { KeysService } from '../services/keys/keys.service.ts';
import { KeyPepper } from '../services/keys/secrets/pepper.ts';
import { BadArguments } from './errors/bad-arguments.ts';
import { keyAsJson, keyAsLine } from './keys/describe-key.ts';
import { changedLimits } from './keys/key-limit-arguments.ts';
import { readKeysArguments, type KeysArguments } from './keys/keys-arguments.ts';
import { modelNamesIn } from './keys/model-names.ts';
import { oldestAccount } from './accounts/oldest-account.ts';
import { withDatabase } from './with-database.ts';

const PAGE = 500;
const typed: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'bad_user_input',
  'unknown_model_name',
  'unlisted_model_name',
]);

const usage = `Usage:
  sluice keys list [--all]                           list active keys, or also revoked ones
  sluice keys create <name> [--scope <scope>]... [--role <role>]
                                                     create a key and print its secret, once
  sluice keys update <id> [--name <name>]            change a key
  sluice keys rotate <id> [--overlap <duration>]     print a new secret, once; the previous one stays valid for 24h
  sluice keys revoke <id>                            revoke a key permanently; running servers apply it within a second

Options of create and update:
  --expires <when>             a date, a timestamp, a duration or never: 2027-01-01, 2027-01-01T12:00:00Z, 90d
  --model <name>               an allowed model; repeat it for several; all for every model
  --alias <name>=<model>       a model for a name or pattern that is requested: claude-*=openai/gpt-5.5; repeat it for
                               several; update replaces all; none removes them
  --requests-per-minute <n>    limits of the key; also --tokens-per-minute, --requests-per-day, --concurrency
  --model-limit <name>,<limit>=<n>[,<limit>=<n>]...
                               limits for one model, with the names above; repeat it for several
  --capability-limit <name>,<limit>=<n>[,<limit>=<n>]...
                               limits for one capability: ${capabilityNames.join(', ')}
                               Use none instead of a number, or instead of a name and its limits, to remove limits. An
                               update replaces all limits of each given group: the key, models, capabilities.
  --save-anyway                save model names that their provider does not list, for example of new models

  --account <id>               account of the key; default: the oldest account
  --json                       print JSON

Scopes: inference (default), read, manage. Roles of keys with the scope manage: owner, admin, developer (default), billing, viewer.
A duration: 0, 90s, 30m, 24h, 7d. The maximum overlap is 30d.

Examples:
  sluice keys create ci --scope inference --scope read --expires 90d
  sluice keys create batch --model openai/gpt-5.5 --model-limit openai/gpt-5.5,requests-per-minute=10,concurrency=2
  sluice keys update 3f0c2c1e-6f0b-4a53-9d6c-0b3a1f4f7f10 --capability-limit images,requests-per-day=50
  sluice keys rotate 3f0c2c1e-6f0b-4a53-9d6c-0b3a1f4f7f10 --overlap 2h
  sluice keys list --json
`;

/** Each action returns its output. */
const actions: Readonly<Record<string, (call: Call) => Promise<string>>> = { list, create, update, rotate, revoke };

interface Call extends KeysArguments {
  readonly keys: KeysService;
  readonly accountId: string;
  /** Name or ID of the key; empty for `list`. */
  readonly about: string;
}

/** @returns the exit code */
export async function keysCommand(args: readonly string[]): Promise<number> {
  try {
    return await run(readKeysArguments(args));
  } catch (error) {
    if (error instanceof BadArguments) return refuse(error.message);
    // Invalid arguments that only the service detects.
    if (error instanceof SluiceError && typed.has(error.code)) return refuse(messageOf(error));
    throw error;
  }
}

async function run(given: KeysArguments): Promise<number> {
  const { help, action, subject, more } = given;
  if (help || action === undefined) {
    process.stdout.write(usage);
    return help ? 0 : 2;
  }
  const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (act === undefined || more.length > 0 || (subject === undefined) !== (action === 'list')) return refuse(usage);
  return withDatabase(async (database, environment, dataDir) => {
    await database.migrate();
    const masterKeys = await establishMasterKeys(
      database,
      await loadSecrets(environment, (text) => void process.stderr.write(`${text}\n`)),
      null,
    );
    const accountId = given.account ?? (await oldestAccount(database));
    process.stdout.write(
      await act({ ...given, keys: keysOf(database, masterKeys, dataDir), accountId, about: subject ?? '' }),
    );
    return 0;
  });
}

async function list({ keys, accountId, all, json }: Call): Promise<string> {
  const found: ApiKey[] = [];
  let after: KeyPosition | undefined;
  for (;;) {
    const { rows, hasMore } = await keys.list(accountId, { revoked: all }, { limit: PAGE, after });
    found.push(...rows);
    after = rows.at(-1);
    if (!hasMore) break;
  }
  return json ? asJson(found.map(keyAsJson)) : found.map((key) => `${keyAsLine(key)}\n`).join('');
}

async function create({ keys, accountId, about: name, scopes, role, change, saveAnyway, json }: Call): Promise<string> {
  const { secret, key } = await keys.create(accountId, null, {
    ...change,
    saveAnyway,
    name,
    scopes: scopes === undefined ? undefined : [...scopes],
    role,
  });
  return json ? asJson({ ...keyAsJson(key), secret }) : `${secret}\n`;
}

async function update({ keys, accountId, about: id, scopes, role, change, saveAnyway, json }: Call): Promise<string> {
  if (scopes !== undefined || role !== undefined)
    throw new BadArguments('The scopes and the role of a key cannot be changed. Create another key.');
  if (Object.keys(change).length === 0)
    throw new BadArguments('Specify at least one setting to change. See `sluice keys --help`.');
  if (change.limits) {
    const limits = changedLimits((await keys.get(accountId, id)).limits ?? {}, change.limits);
    return printedKey(await keys.update(accountId, id, { ...change, limits, saveAnyway }), json);
  }
  return printedKey(await keys.update(accountId, id, { ...change, saveAnyway }), json);
}

async function rotate({ keys, accountId, about: id, overlapSeconds, json }: Call): Promise<string> {
  const { secret, key } = await keys.rotate(accountId, id, { overlapSeconds });
  return json ? asJson({ ...keyAsJson(key), secret }) : `${secret}\n`;
}

async function revoke({ keys, accountId, about: id, json }: Call): Promise<string> {
  const key = await keys.revoke(accountId, id);
  return json ? asJson(keyAsJson(key)) : 'revoked\n';
}

function printedKey(key: ApiKey, json: boolean): string {
  return json ? asJson(keyAsJson(key)) : `${keyAsLine(key)}\n`;
}

function asJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function keysOf(database: Database, { keys, retiredPeppers }: OpenedMasterKeys, dataDir: string): KeysService {
  const pepper = new KeyPepper(keys, retiredPeppers);
  const defaults = { requestsPerMinute: 0, tokensPerMinute: 0, requestsPerDay: 0, concurrency: 0 };
  const plans = readPlans({ plans: {}, default_plan: 'free' });
  const directory = new MemoryKeyDirectory({ database, pepper, defaults: () => defaults, plans: () => plans });
  const models = modelNamesIn(database, dataDir);
  return new KeysService({ database, pepper, directory, models });
}

function messageOf({ code, message }: SluiceError): string {
  // Unlike a running server, this process does not request model lists from providers.
  const hint = ' Use provider/model for a model that only its provider lists.';
  return code === 'unknown_model_name' ? message + hint : message.replace('`saveAnyway`', '`--save-anyway`');
}

function refuse(text: string): number {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
  return 2;
}
