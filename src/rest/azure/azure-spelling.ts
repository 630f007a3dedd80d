import type { Request, RequestHandler } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { KeyAuthentication } from '../authentication/authenticate.ts';
import { requireCaller } from '../authentication/caller.ts';

const PREFIX = '/openai/';
const VERSIONED = '/openai/v1/';

/** Source: learn.microsoft.com/en-us/azure/ai-foundry/openai/reference, data plane inference. */
const ofDeployment =
  /^\/openai\/deployments\/(.+?)(\/(?:chat\/completions|completions|embeddings|audio\/(?:speech|transcriptions|translations)|images\/(?:generations|edits)|batches))$/;
const ofResource =
  /^\/openai(\/(?:responses|conversations|files|uploads|batches|models|assistants|threads|vector_stores|fine_tuning|evals|containers|realtime)(?:\/.*)?)$/;
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
 * `/openai/deployments/{model}/…?api-version=` and `/openai/{responses, files, …}?api-version=`. Who sends no valid key is
 * told so first.
 */
export function azureSpelling(authentication: KeyAuthentication): RequestHandler {
  const requireKey = requireCaller(authentication);
  return (request, response, next) => {
    const canonical = canonicalUrl(request.url);
    if (canonical === null) return next();
    if (canonical.deployment !== null) response.locals.deployment = canonical.deployment;
    response.locals.writtenUrl = request.originalUrl;
    rewrite(request, canonical.url);
    if (canonical.fault === null || request.method === 'OPTIONS') return next();
    const { fault } = canonical;
    return requireKey(request, response, (error?: unknown) => next(error ?? fault));
  };
}

export interface CanonicalUrl {
  readonly url: string;
  readonly deployment: string | null;
  /** missing_required_parameter | invalid_value, if the URL states no valid version of the API. */
  readonly fault: SluiceError | null;
}

/** OpenAI's spelling of a URL of Azure's; null for any other. */
export function canonicalUrl(url: string): CanonicalUrl | null {
  if (!url.startsWith(PREFIX)) return null;
  if (url.startsWith(VERSIONED)) return { url: url.slice('/openai'.length), deployment: null, fault: null };
  const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
  const [, deployment, route] = ofDeployment.exec(path) ?? [];
  const [, resource] = ofResource.exec(path) ?? [];
  const canonical = route ?? resource;
  if (canonical === undefined) return null;
  const parameters = new URLSearchParams(query);
  const fault = versionFault(parameters.get('api-version'));
  parameters.delete('api-version');
  return {
    url: `/v1${canonical}${parameters.size === 0 ? '' : `?${parameters}`}`,
    deployment: deployment === undefined ? null : decoded(deployment),
    fault,
  };
}

/** Express keeps the URL as it came, which names the request in records of it. */
function rewrite(request: Request, url: string): void {
  request.url = url;
  request.originalUrl = url;
}

function versionFault(version: string | null): SluiceError | null {
  const param = 'api-version';
  const hint = 'Add it to the URL, for example `?api-version=2024-10-21`. All versions are served alike.';
  if (version === null || version === '') return new SluiceError('missing_required_parameter', { param, hint });
  if (versionForm.test(version)) return null;
  return new SluiceError('invalid_value', {
    param,
    values: { reason: 'it must be a version of the API, such as `2024-10-21`.' },
    hint: 'All versions are served alike.',
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
