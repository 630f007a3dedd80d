import type { Request, RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';

const PREFIX = '/openai/';
const VERSIONED = '/openai/v1/';

/** Source: learn.microsoft.com/en-us/azure/ai-foundry/openai/reference, data plane inference. */
const ofDeployment =
  /^\/openai\/deployments\/(.+?)(\/(?:chat\/completions|completions|embeddings|audio\/(?:speech|transcriptions|translations)|images\/(?:generations|edits)|batches))$/;
const ofResource = /^\/openai(\/(?:responses|conversations|files|uploads|batches|models)(?:\/.*)?)$/;
/** A date such as `2024-10-21`, `preview` and the like: any version is served alike. */
const versionForm = /^[\w.-]{1,64}$/;

declare global {
  namespace Express {
    interface Locals {
      /** The deployment in Azure's spelling of the path, which names the model whatever the body does. */
      deployment?: string;
      /** The URL as the client wrote it, where it was rewritten. */
      writtenUrl?: string;
    }
  }
}

/**
 * Rewrites Azure OpenAI's spelling of a URL to that of OpenAI, before anything reads it: `/openai/v1/…`,
 * `/openai/deployments/{model}/…?api-version=` and `/openai/{responses, files, …}?api-version=`.
 */
export const azureSpelling: RequestHandler = (request, response, next) => {
  const canonical = canonicalUrl(request.url, request.method);
  if (canonical === null) return next();
  if (canonical.deployment !== null) response.locals.deployment = canonical.deployment;
  response.locals.writtenUrl = request.originalUrl;
  rewrite(request, canonical.url);
  return next();
};

/** OpenAI's spelling of a URL of Azure's; null for any other. @throws SluiceError missing_required_parameter | invalid_value */
export function canonicalUrl(
  url: string,
  method: string,
): { readonly url: string; readonly deployment: string | null } | null {
  if (!url.startsWith(PREFIX)) return null;
  if (url.startsWith(VERSIONED)) return { url: url.slice('/openai'.length), deployment: null };
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const [, deployment, route] = ofDeployment.exec(path) ?? [];
  const [, resource] = ofResource.exec(path) ?? [];
  const canonical = route ?? resource;
  if (canonical === undefined) return null;
  const parameters = new URLSearchParams(query);
  if (method !== 'OPTIONS') requireVersion(parameters.get('api-version'));
  parameters.delete('api-version');
  return {
    url: `/v1${canonical}${parameters.size === 0 ? '' : `?${parameters}`}`,
    deployment: deployment === undefined ? null : decoded(deployment),
  };
}

/** Express keeps the URL as it came, which names the request in records of it. */
function rewrite(request: Request, url: string): void {
  request.url = url;
  request.originalUrl = url;
}

/** @throws SluiceError missing_required_parameter | invalid_value */
function requireVersion(version: string | null): void {
  const param = 'api-version';
  if (version === null || version === '') throw new SluiceError('missing_required_parameter', { param });
  if (versionForm.test(version)) return;
  throw new SluiceError('invalid_value', {
    param,
    values: { reason: 'it must be a version of the API, such as `2024-10-21`.' },
  });
}

/** Malformed percent-encoding was refused before, except in what names no model. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
