import { createServer, IncomingMessage, ServerResponse, type Server, type ServerOptions } from 'node:http';
import type { Express, Locals } from 'express';

/**
 * A server whose messages have Express' prototypes from the start. Express gives them to each message that has others, which
 * costs more than all the rest that it does.
 */
export function createExpressServer(app: Express, options: ServerOptions): Server {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    locals: Partial<Locals> = { identity: undefined, key: undefined };
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return createServer({ ...options, IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }, app);
}
