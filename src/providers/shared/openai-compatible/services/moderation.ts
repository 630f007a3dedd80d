import type { Send } from '../../../contract.ts';
import type { ModerationRequest } from '../../moderation/moderation-request.ts';
import { overwriteMember, withMembers } from '../../http/request-body.ts';
import type { ServiceClient } from './service-client.ts';

const none: readonly string[] = [];

/** `POST /moderations` with the client's body unchanged. Source: OpenAI's API document, CreateModerationRequest. */
export function sendModeration({ upstream, path }: ServiceClient): Send<ModerationRequest> {
  return ({ body, request, model }, receiver) => {
    if (body === null) throw new Error('a moderation request has a JSON body');
    const name = JSON.stringify(model);
    const named =
      request.model === undefined ? withMembers(body, { model: name }) : overwriteMember(body, 'model', name);
    upstream.post(path('/moderations', model), named, receiver);
    return none;
  };
}
