import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'lm-studio', url: 'http://127.0.0.1:1234/v1/chat/completions' });
