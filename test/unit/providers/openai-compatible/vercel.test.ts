import { describeProvider } from '../provider-contract.ts';

describeProvider({ id: 'vercel', url: 'https://ai-gateway.vercel.sh/v1/chat/completions' });
