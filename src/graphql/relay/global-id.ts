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
  'AlertRule',
  'AlertChannel',
  'Alert',
  'SavedView',
  'Comparison',
  'ModelResponse',
  'ChatCompletion',
  'Conversation',
  'Dataset',
  'DatasetItem',
  'DatasetRun',
  'Batch',
  'StoredFile',
  'Feedback',
] as const;
export type NodeType = (typeof nodeTypes)[number];

/** Former type names: clients may have stored ids with them. */
const formerNames: Readonly<Partial<Record<NodeType, readonly string[]>>> = {
  ProviderCredential: ['ProviderConnection'],
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An opaque ID that is unique across all types. */
export function toGlobalId(type: NodeType, id: string): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** The UUID of a global ID of this type. @throws SluiceError not_found also for an invalid ID */
export function fromGlobalId(type: NodeType, globalId: string): string {
  const id = readGlobalId(type, globalId);
  if (id === null || !UUID.test(id)) throw new SluiceError('not_found', { values: { what: type } });
  return id;
}

/** Type and UUID of a global ID; null if it is invalid. */
export function typeOfGlobalId(globalId: string): { type: NodeType; id: string } | null {
  for (const type of nodeTypes) {
    const id = readGlobalId(type, globalId);
    if (id !== null && UUID.test(id)) return { type, id };
  }
  return null;
}

/** The local part of a global ID of this type; null if it is invalid. */
export function readGlobalId(type: NodeType, globalId: string): string | null {
  const text = Buffer.from(globalId.slice(0, 1_000), 'base64url').toString();
  const name = [type, ...(formerNames[type] ?? [])].find((each) => text.startsWith(`${each}:`));
  return name === undefined ? null : text.slice(name.length + 1);
}

/** The UUID of a global ID of any type. @throws SluiceError not_found also for an invalid ID */
export function uuidOfAny(globalId: string): string {
  const text = Buffer.from(globalId.slice(0, 1_000), 'base64url').toString();
  const id = text.slice(text.indexOf(':') + 1);
  if (!UUID.test(id)) throw new SluiceError('not_found', { values: { what: 'object' } });
  return id;
}
