export { renderMessagesError } from '../../../protocols/messages/errors.ts';
