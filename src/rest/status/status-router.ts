import express, { type Router } from 'express';
import type { InstanceStatus, InstanceStatusService, StatusEntry } from '../../services/status/instance-status.ts';
import { accountOfCaller, type CallersDirectory } from '../authentication/account-of-caller.ts';
import { onlyMethods } from '../http/errors.ts';
import { sendJson } from '../http/send-json.ts';

export interface StatusRouteDependencies extends CallersDirectory {
  readonly status: Pick<InstanceStatusService, 'read'>;
  /** Whether it is readable without a session or key. */
  readonly isPublic: boolean;
}

/** `/status.json`: what the page `/status` shows. */
export function buildStatusRouter(deps: StatusRouteDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  router
    .route('/status.json')
    .get(async (request, response) => {
      if (!deps.isPublic) await accountOfCaller(deps, request, 'account.read');
      const status = await deps.status.read();
      response.setHeader('cache-control', deps.isPublic ? 'public, max-age=30' : 'no-store');
      sendJson(response, 200, JSON.stringify(rendered(status)));
    })
    .all(onlyMethods('GET', 'HEAD', 'OPTIONS'));
  return router;
}

function rendered({ updatedAt, since, state, providers, capabilities }: InstanceStatus): object {
  return {
    object: 'status',
    state,
    updated_at: Math.floor(updatedAt.getTime() / 1_000),
    since,
    providers: providers.map(renderedEntry),
    capabilities: capabilities.map(renderedEntry),
  };
}

function renderedEntry({ name, state, uptime, days }: StatusEntry): object {
  return { name, state, uptime_90d: uptime, days };
}
