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
import { systemClock, type Clock } from '../calendar/clock.ts';
import { setBusy } from './idle-connections.ts';

/** Takes a request, or leaves it to Express. @returns whether it was taken */
export type First = (request: Request, response: Response) => boolean;

/**
 * A server whose messages have Express' prototypes from the start: to give them to each message, as Express does else, costs
 * more than all the rest that it does. `first` is asked before Express' routing, which costs as much as admission.
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
    // Their prototypes make the messages Express' own, which their types cannot say.
    listener as unknown as RequestListener<typeof ExpressRequest, typeof ExpressResponse>,
  );
}
