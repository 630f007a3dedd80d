import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'ollama', url: 'http://127.0.0.1:11434/v1/chat/completions' });
