import { SpanKind, type Attributes } from '@opentelemetry/api';
import { catalogue, type ErrorCode } from '../../errors/index.ts';
import type { HttpExchange, SettledRequest } from '../../gateway/telemetry/request-span.ts';
import { httpAttributes } from './request-attributes.ts';

/** What a request is to its client: one over HTTP, a message on a WebSocket, or one that no client waits for. */
export type SpanForm =
  | { readonly type: 'http' }
  | { readonly type: 'message'; readonly route: string }
  | { readonly type: 'internal' }
  /** Several of them. */
  | { readonly type: 'operation'; readonly name: string; readonly attributes: Attributes };

interface SpanEnd {
  readonly name: string;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

export function kindOf({ type }: SpanForm): SpanKind {
  return type === 'http' || type === 'message' ? SpanKind.SERVER : SpanKind.INTERNAL;
}

/** @param exchange null for all but a request over HTTP */
export function endOf(
  form: SpanForm,
  exchange: HttpExchange | null,
  settled: SettledRequest | null,
  error: ErrorCode | null,
): SpanEnd {
  switch (form.type) {
    case 'http':
      return {
        name: exchange === null ? 'request' : [exchange.method, exchange.route ?? []].flat().join(' '),
        attributes: exchange === null ? {} : httpAttributes(exchange),
        // The conventions: a status of 4xx is no error of the server.
        isError: (exchange?.status ?? 500) >= 500,
      };
    case 'message':
      return {
        name: `WEBSOCKET ${form.route}`,
        attributes: { 'http.route': form.route, 'network.protocol.name': 'websocket' },
        isError: error !== null && catalogue[error].status >= 500,
      };
    case 'internal':
      return {
        name: settled === null ? 'request' : `request ${settled.admitted.capability}`,
        attributes: {},
        isError: error !== null,
      };
    case 'operation':
      return { name: form.name, attributes: form.attributes, isError: false };
  }
}
