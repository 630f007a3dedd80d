import { SluiceError } from '../../errors/index.ts';

const nodeTypes = [
  'User',
  'UserSession',
  'LinkedIdentity',
  'Account',
  'Member',
  'Invitation',
  'AuditEntry',
  'ApiKey',
  'AccessToken',
  'Budget',
  'UsageLog',
  'Invoice',
  'Model',
  'ProviderCredential',
  'Route',
  'Video',
  'Webhook',
  'Comparison',
  'ModelResponse',
] as const;
export type NodeType = (typeof nodeTypes)[number];

/** Names that a type had: clients keep ids that were made under them. */
const formerNames: Readonly<Partial<Record<NodeType, readonly string[]>>> = {
  ProviderCredential: ['ProviderConnection'],
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An id that is unique over all types, and opaque to clients. */
export function toGlobalId(type: NodeType, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The UUID behind a global id of this type. @throws SluiceError not_found, as for any id that is none */
export function fromGlobalId(type: NodeType, globalId: string): string {
  const id = readGlobalId(type, globalId);
  if (id === null || !UUID.test(id)) throw new SluiceError('not_found', { values: { what: type } });
  return id;
}

/** The type of a global id, with the UUID behind it; null where it is none. */
export function typeOfGlobalId(globalId: string): { type: NodeType; id: string } | null {
  for (const type of nodeTypes) {
    const id = readGlobalId(type, globalId);
    if (id !== null && UUID.test(id)) return { type, id };
  }
  return null;
}

/** What stands behind a global id of this type; null where it is none. */
export function readGlobalId(type: NodeType, globalId: string): string | null {
  const text = Buffer.from(globalId.slice(0, 1_000), 'base64url').toString();
  const name = [type, ...(formerNames[type] ?? [])].find((each) => text.startsWith(`${each}:`));
  return name === undefined ? null : text.slice(name.length + 1);
}

/** The UUID behind a global id of whatever type. @throws SluiceError not_found, as for any id that is none */
export function uuidOfAny(globalId: string): string {
  const text = Buffer.from(globalId.slice(0, 1_000), 'base64url').toString();
  const id = text.slice(text.indexOf(':') + 1);
  if (!UUID.test(id)) throw new SluiceError('not_found', { values: { what: 'object' } });
  return id;
}
