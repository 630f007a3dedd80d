import type { Response } from 'express';
import { SluiceError } from '../../errors/index.ts';
import type { ListPageRequest } from '../../services/list-page.ts';
import { setStandardHeaders } from '../headers/response-headers.ts';
import { sendJson } from './send-json.ts';

/** An object with the id that clients name it by. */
type Listed = Readonly<Record<string, unknown>>;

/** OpenAI's list of objects. */
export function objectList(data: readonly Listed[], hasMore: boolean): Listed {
  return {
    object: 'list',
    data,
    // The reference requires strings even for an empty page.
    first_id: data[0]?.id ?? '',
    last_id: data.at(-1)?.id ?? '',
    has_more: hasMore,
  };
}

/** A page of objects that are all known, oldest first. @throws SluiceError not_found where none has the id of `after` */
export function pageOfList(all: readonly Listed[], { limit, order, after }: ListPageRequest, what: string): Listed {
  const ordered = order === 'asc' ? all : all.toReversed();
  const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== null && from === 0) throw new SluiceError('not_found', { values: { what } });
  return objectList(ordered.slice(from, from + limit), ordered.length > from + limit);
}

/** Answers with an object of the API. */
export function answerObject(response: Response, body: object): void {
  setStandardHeaders(response);
  sendJson(response, 200, JSON.stringify(body));
}
