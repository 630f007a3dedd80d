import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'llama-cpp', url: 'http://127.0.0.1:8080/v1/chat/completions' });
