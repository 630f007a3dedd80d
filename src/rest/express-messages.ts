import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Locals } from 'express';

interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Classes for `createServer`, so that messages have Express' prototypes from the start. Express gives them to each message
 * that has others, which costs more than all the rest that it does.
 */
export function bornAsExpress(app: Express): MessageClasses {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    locals: Partial<Locals> = { identity: undefined, key: undefined };
  }
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
