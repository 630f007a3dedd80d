import type { Response } from 'express';

/** Sends serialised JSON. `Response.json` would serialise again, and process conditional requests that no API client sends. */
export function sendJson(response: Response, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
