import type { Response } from 'express';

/** Sends text that is JSON already. `Response.json` would serialise again, and answer conditional requests that no API client makes. */
export function answerJson(response: Response, status: number, body: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}
