import type { Callers } from '../services/accounts/callers.ts';

/** Says which stored objects a caller of `/v1` may reach. */
export type ObjectAccess = Pick<Callers, 'reachOf'>;
