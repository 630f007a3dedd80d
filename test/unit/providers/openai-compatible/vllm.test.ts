import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'vllm', url: 'http://127.0.0.1:8000/v1/chat/completions' });
