import type { Callers } from '../../services/authorization/callers.ts';

/** Determines which stored objects a `/v1` request can access. */
export type ObjectAccess = Pick<Callers, 'reachOf'>;
