export { renderGeminiError } from '../../../protocols/gemini/errors.ts';
