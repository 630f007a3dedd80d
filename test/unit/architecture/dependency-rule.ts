import type { Import } from '../../harness/source-imports.ts';

/** What each folder of `src` may import, besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  secrets: [],
  // A model's prices in `sluice.yaml` have the catalogue's form.
  config: ['calendar', 'catalogue'],
  calendar: [],
  descriptors: [],
  live: ['calendar'],
  catalogue: [],
  outbound: ['descriptors', 'errors'],
  mail: ['errors'],
  // An entity's columns are typed by the records that are stored in them.
  database: ['errors', 'calendar', 'types of gateway'],
  // Redis keeps limits by the very rules that memory does.
  storage: ['database', 'errors', 'gateway', 'secrets', 'calendar', 'types of live'],
  jobs: ['database', 'calendar'],
  workers: ['calendar', 'types of live'],
  // It sees what the gateway records of a request, and is loaded only where something is exported.
  telemetry: ['errors', 'calendar', 'gateway'],
  protocols: ['errors', 'calendar'],
  providers: ['protocols', 'descriptors', 'errors', 'calendar'],
  gateway: ['protocols', 'providers', 'catalogue', 'live', 'calendar', 'secrets', 'errors'],
  services: [
    'database',
    'calendar',
    'catalogue',
    'jobs',
    'storage',
    'outbound',
    'mail',
    'secrets',
    'errors',
    'types of gateway',
  ],
  rest: ['services', 'gateway', 'live', 'descriptors', 'errors', 'calendar', 'catalogue'],
  graphql: ['services', 'gateway', 'live', 'errors', 'calendar', 'catalogue', 'types of database'],
  dashboard: [],
};

/**
 * What each folder of `services` may import of the others: a noun knows those below it. Files directly in `services` are
 * for all of them.
 */
const allowedServices: Readonly<Record<string, readonly string[]>> = {
  audit: [],
  batches: ['files'],
  'chat-completions': ['expiry', 'unstored-rows'],
  'client-request': [],
  comparisons: [],
  'content-log': ['content-search', 'unstored-rows'],
  'content-search': ['unstored-rows'],
  conversations: [],
  expiry: [],
  feedback: ['usage'],
  datasets: ['content-log', 'usage'],
  'dataset-runs': ['batches', 'content-log', 'datasets'],
  files: ['accounts'],
  mail: [],
  'master-keys': ['connections', 'content-log', 'keys'],
  media: [],
  passwords: [],
  responses: ['expiry', 'unstored-rows'],
  accounts: [],
  sessions: ['client-request'],
  'unstored-rows': [],
  authorization: ['sessions'],
  connections: [],
  routes: ['connections'],
  webhooks: ['accounts', 'connections'],
  'saved-views': ['accounts'],
  videos: ['webhooks'],
  plans: ['accounts'],
  usage: ['accounts', 'content-search', 'plans'],
  billing: ['accounts', 'plans', 'usage'],
  keys: ['accounts', 'authorization', 'plans', 'webhooks'],
  alerts: ['accounts', 'budgets', 'connections', 'keys', 'usage', 'webhooks'],
  budgets: ['accounts', 'billing', 'keys', 'plans', 'webhooks'],
  members: ['accounts', 'audit', 'authorization', 'connections', 'keys', 'sessions'],
  identity: ['accounts', 'audit', 'client-request', 'connections', 'keys', 'members', 'passwords', 'sessions'],
};

/** These put the parts together, and may know all but the dashboard's inside. */
const composers = ['main.ts', 'app.ts', 'composition', 'cli'];

/** Packages that shape what is around them, and the folders that may know them. */
const packageFolders: readonly (readonly [pattern: RegExp, folders: readonly string[]])[] = [
  [/^graphql-ws$/, ['graphql', 'dashboard']],
  [
    /^(@radix-ui\/|@tanstack\/|@urql\/|cmdk$|diff$|lucide-react|qrcode\.react$|radix-ui$|react\b|recharts$|remark-gfm$|urql$)/,
    ['dashboard'],
  ],
  [/^(express|helmet)\b/, ['rest', 'graphql']],
  [/^(graphql|graphql-|type-graphql|@graphql-yoga\/|@apollo\/|@as-integrations\/)/, ['graphql']],
  [/^ws$/, ['rest', 'graphql', 'providers']],
  [/^@mikro-orm\//, ['database', 'services', 'storage']],
  [/^pg$/, ['database', 'jobs']],
  [/^@electric-sql\//, ['database']],
  [/^pg-boss$/, ['jobs']],
  [/^(@redis|@aws-sdk)\//, ['storage']],
  [/^undici$/, ['providers', 'outbound']],
  [/^@node-rs\/argon2$/, ['services']],
  [/^yaml$/, ['config']],
  [/^luxon$/, ['calendar']],
  [/^re2js$/, ['gateway']],
  [/^nodemailer$/, ['mail']],
  // The SDK reads variables of the environment itself. Those that it needs are given to it, as `config` has read them.
  [/^@opentelemetry\//, ['telemetry']],
  [/^(openid-client|otpauth|pdfkit|stripe)$/, ['services']],
];

/** The AI SDK's packages are known to the bridge over them, and to the declarations of the providers behind it. */
const bridged = [
  'bridge',
  'amazon-bedrock',
  'assemblyai',
  'black-forest-labs',
  'cohere',
  'deepgram',
  'elevenlabs',
  'fal',
  'google-vertex',
  'luma',
  'replicate',
];

/** @returns why an import is forbidden; null where it is not */
export function breach({ from, kind, to, typeOnly }: Import): string | null {
  const source = folderOf(from);
  if (kind === 'package') return composers.includes(source) ? null : packageBreach(from, to);
  const target = folderOf(to);
  if (source === 'services' && target === 'services') return serviceBreach(from, to);
  if (source === 'protocols' && target === 'protocols') return protocolBreach(from, to);
  if (source === target && source !== 'providers') return null;
  if (source === 'providers' && target === 'providers') return providerBreach(from, to);
  if (composers.includes(source)) return target === 'dashboard' ? `${from} reaches into the dashboard: ${to}` : null;
  const rule = allowed[source];
  if (rule === undefined) return `${from} is in no folder of the house`;
  if (rule.includes(target) || (typeOnly && rule.includes(`types of ${target}`))) return null;
  return `${source} must not import ${target}: ${from} -> ${to}`;
}

function packageBreach(from: string, name: string): string | null {
  if (folderOf(from) === 'dashboard')
    return packageFolders.some(([pattern, folders]) => pattern.test(name) && folders.includes('dashboard'))
      ? null
      : `${from} must not know ${name}`;
  if (name.startsWith('@ai-sdk/')) {
    const [folder = '', provider = ''] = from.split('/');
    return folder === 'providers' && bridged.includes(provider) ? null : `${from} must not know ${name}`;
  }
  const folders = packageFolders.find(([pattern]) => pattern.test(name))?.[1];
  return folders === undefined || folders.includes(folderOf(from)) ? null : `${from} must not know ${name}`;
}

function serviceBreach(from: string, to: string): string | null {
  const source = from.split('/')[1] ?? '';
  const target = to.split('/')[1] ?? '';
  if (source === target || target.endsWith('.ts')) return null;
  if (source.endsWith('.ts')) return `a file for all services must not import one: ${from} -> ${to}`;
  const rule = allowedServices[source];
  if (rule === undefined) return `services/${source} is not in the table of services`;
  return rule.includes(target) ? null : `services/${source} must not import services/${target}: ${from} -> ${to}`;
}

/** Providers import the contract, what is shared and the bridge over the AI SDK's packages, and never each other. */
function providerBreach(from: string, to: string): string | null {
  const [, source = ''] = from.split('/');
  const [, target = ''] = to.split('/');
  const isShared = target === 'contract.ts' || target === 'shared' || target === 'bridge';
  if (source === target || source === 'registry.ts' || isShared) return null;
  return `a provider must not import another: ${from} -> ${to}`;
}

/** A protocol imports itself and the canonical form, never another protocol. */
function protocolBreach(from: string, to: string): string | null {
  const [, source = ''] = from.split('/');
  const [, target = ''] = to.split('/');
  if (source === target || target === 'canonical') return null;
  return `a protocol must not import another: ${from} -> ${to}`;
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? '';
}
