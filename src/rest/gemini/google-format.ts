import { renderGeminiError } from '../../gateway/capabilities/gemini/gemini-protocol.ts';
import type { ClientFormat } from '../http/client-format.ts';

/** Errors as Google's clients read them. Source: cloud.google.com/apis/design/errors. */
export const googleFormat: ClientFormat = {
  errorBody: (error, message) => renderGeminiError(error, message),
  headers: () => '',
};
