import {
  createServer,
  IncomingMessage,
  ServerResponse,
  type RequestListener,
  type Server,
  type ServerOptions,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Locals, Request, Response } from 'express';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { setBusy } from './idle-connections.ts';

/** Handles a request before Express. @returns whether it was handled */
export type First = (request: Request, response: Response) => boolean;

/**
 * A server whose messages are created with the prototypes of Express. Express sets them on each message, which costs more than
 * everything else it does. `first` runs before the routing of Express, which costs as much as admission.
 */
export function createExpressServer(
  app: Express,
  first: First,
  options: ServerOptions = {},
  clock: Clock = systemClock,
): Server {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Message extends IncomingMessage> extends ServerResponse<Message> {
    locals: Partial<Locals> = { identity: undefined, key: undefined, clock };

    override assignSocket(socket: Socket): void {
      setBusy(socket, true);
      super.assignSocket(socket);
    }

    override detachSocket(socket: Socket): void {
      setBusy(socket, false);
      super.detachSocket(socket);
    }
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  const listener = (request: Request, response: Response): void => {
    if (!first(request, response)) app(request, response);
  };
  return createServer(
    { ...options, IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse },
    // The prototypes make the messages Express messages, which the types cannot express.
    listener as unknown as RequestListener<typeof ExpressRequest, typeof ExpressResponse>,
  );
}
