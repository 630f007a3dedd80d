export { messagesRequestSchema } from '../../../protocols/messages/decode-request/schema.ts';
