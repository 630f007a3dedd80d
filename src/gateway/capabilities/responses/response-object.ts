/** What stores and surfaces read of a response. */
export type { ResponseEvent } from '../../../protocols/responses/encode-stream.ts';
export type { ResponseObject, ResponseStatus } from '../../../protocols/responses/response-object.ts';
export { responseError } from '../../../protocols/responses/response-object.ts';
export { withoutNulls } from '../../../protocols/responses/response-settings.ts';
