import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** In order of preference. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;
const plainName = /^[\w-]+(?:\.[\w-]+)*$/;

interface Found {
  readonly path: string;
  readonly bytes: number;
  readonly encoding: string | null;
}

/** Serves the files of one folder. Their names contain a hash of their content, so that they are cached permanently. */
export function buildAssetHandler(folder: string): RequestHandler {
  return async (request, response, next) => {
    const { name } = request.params;
    const contentType = typeof name === 'string' && plainName.test(name) ? contentTypes[extname(name)] : undefined;
    const found = typeof name === 'string' && contentType ? await find(join(folder, name), request) : null;
    if (!found || !contentType) next();
    else await send(request, response, found, contentType);
  };
}

async function find(path: string, request: Request): Promise<Found | null> {
  for (const { name, ending } of encodings) {
    if (!request.acceptsEncodings(name)) continue;
    const bytes = await size(path + ending);
    if (bytes !== null) return { path: path + ending, bytes, encoding: name };
  }
  const bytes = await size(path);
  return bytes === null ? null : { path, bytes, encoding: null };
}

async function size(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

async function send(request: Request, response: Response, found: Found, contentType: string): Promise<void> {
  response.set({
    'content-type': contentType,
    'content-length': String(found.bytes),
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
    ...(found.encoding && { 'content-encoding': found.encoding }),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // The client may disconnect.
  await pipeline(createReadStream(found.path), response).catch(() => response.destroy());
}
