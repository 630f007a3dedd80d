import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'sambanova', url: 'https://api.sambanova.ai/v1/chat/completions' });
