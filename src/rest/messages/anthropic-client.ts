import { unservedOfAnthropic } from '../http/unserved-endpoints.ts';

/** Whether a client reads answers in Anthropic's formats: its SDKs always send the version. */
export function isAnthropicClient(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['anthropic-version'] !== undefined;
}

/** Whether Anthropic's API has this path, besides that of messages. @param path after `/v1` */
export function isAnthropicRequest(path: string, headers: Readonly<Record<string, unknown>>): boolean {
  if (!isAnthropicClient(headers)) return false;
  return /^\/models(?:\/|$)/.test(path) || unservedOfAnthropic.some((unserved) => unserved.path.test(path));
}
