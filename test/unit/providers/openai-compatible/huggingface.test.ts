import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'huggingface', url: 'https://router.huggingface.co/v1/chat/completions' });
