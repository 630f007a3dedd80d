import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request } from 'express';
import { SluiceError, toSluiceError } from '../../../errors/index.ts';
import { canonicalUrl } from '../../azure/azure-spelling.ts';
import { refuseUpgrade, endWithError } from '../../http/socket-error.ts';
import type { ResponseSockets } from './response-sockets.ts';

const RESPONSES_PATH = '/v1/responses';

/**
 * Upgrades `/v1/responses`, in OpenAI's or Azure's spelling, to a WebSocket. Where that is disabled, 426 makes clients use POST
 * at once; after 404 they would try again for seconds.
 * @param sockets null where WebSocket is disabled
 */
export function upgradeResponses(
  sockets: ResponseSockets | null,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (request, socket, head) => {
    try {
      const { url = '' } = request;
      const canonical = canonicalUrl(url);
      if (pathOf(canonical?.url ?? url) !== RESPONSES_PATH) return refuseUpgrade(request, socket);
      if (sockets === null || !isExpressRequest(request))
        throw new SluiceError('websocket_not_offered', { values: { path: RESPONSES_PATH } });
      return sockets.upgrade(request, socket, head, canonical?.fault ?? null);
    } catch (error) {
      return endWithError(socket, toSluiceError(error));
    }
  };
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(/\/$/, '');
}

/** The host creates all requests with the prototype of Express. */
function isExpressRequest(request: IncomingMessage): request is Request {
  return 'protocol' in request;
}
