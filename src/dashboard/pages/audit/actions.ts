import { words } from '../../design/format.ts';

/** The first part of each action, for the filter. The URL may contain an action of another kind. */
export const actionKinds = [
  'account',
  'access_token',
  'alert_channel',
  'alert_rule',
  'api_key',
  'audit_log',
  'budget',
  'comparison',
  'dataset',
  'dataset_run',
  'file',
  'invitation',
  'invoice',
  'linked_identity',
  'member',
  'provider_connection',
  'route',
  'saved_view',
  'session',
  'user',
  'webhook',
] as const;

/** `api_key.created` → `API key created`, `api_key.*` → `API key: all actions`. */
export function actionText(action: string): string {
  const [kind = '', what = ''] = action.split('.', 2);
  const name = words(kind).replace(/^Api\b/, 'API');
  return what === '*' ? `${name}: all actions` : `${name} ${what.replaceAll('_', ' ')}`.trim();
}
